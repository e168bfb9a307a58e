// memproc's extension for TypingMind. This file is a placeholder: it does nothing yet.
"use strict";
