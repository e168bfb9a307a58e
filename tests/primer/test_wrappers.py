"""What a model's own format leaves around an answer is taken off; what the passage says stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primer.reply import Answered, Refused, read_reply
from primer.wrappers import unwrap

KEPT = "I keep the ferry and Tomas in mind, and the stairs that we carried the piano up."
THOUGHTS = (
    "<|channel|>analysis<|message|>She asks.<|end|><|start|>assistant<|channel|>final<|message|>",
    "<|channel|>analysis<|message|>She asks.<|start|>assistant<|channel|>final <|constrain|>text<|message|>",
    "She asks for a memory.<|end|><|start|>assistant<|channel|>final<|message|>",
    "analysisShe asks for a memory. Two sentences.assistantfinal",
    "[THINK]She asks.[/THINK]",
    "◁think▷She asks.◁/think▷\n",
    "<seed:think>She asks.</seed:think>",
    "<longcat_think>She asks.</longcat_think>",
    "She asks.\n[/THINK]\n",
    "She asks.\n◁/think▷\n",
    "<|START_THINKING|>She asks.<|END_THINKING|><|START_RESPONSE|>",
    "<|begin_of_thought|>She asks.<|end_of_thought|>",
    "<unused94>thought\nShe asks.<unused95>",
    "<|turn>model\n<|channel>thought\nShe asks.<channel|>",
    "<|channel>\nShe asks.\n</channel|>\n",
    "<|im_start|>assistant\n<think>\nShe asks.\n</think>\n\n",
)
HEADS = (
    "<start_of_turn>model\n",
    "<|start_header_id|>assistant<|end_header_id|>\n\n",
    "<|im_start|>assistant\n",
    "<｜Assistant｜>",
    "<s> ",
    "[/INST] ",
    "[|assistant|]",
    "<role>ASSISTANT</role>",
    "assistant\n\n",
)
ENDS = (
    "<|im_end|>",
    "<end_of_turn>\n<start_of_turn>user\nAnd now?<end_of_turn>",
    "<|im_end|>\n<|im_start|>user\nAnd now?<|im_end|>\n<|im_start|>assistant\nWell.",
    "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nAnd now?",
    "<｜end▁of▁sentence｜><｜User｜>And now?",
    "</s> [INST] And now? [/INST]",
    "<|user|>\nAnd now?",
    "<|endoftext|>\n\nHuman: And now?",
    "\n\nHuman: And now?",
    "\nUser: And now?\nAssistant: Well.",
    "\nuser\nAnd now?\nassistant\nWell.",
    "assistant\n\nWell then.",
    "<turn|>",
    "<|im_en",
    "<|return|>",
    "<unused6226><unused6226>",
    "<pad>" * 200,
    "\n<think>Was that enough?</think>",
)
CALLS = (
    '\n<tool_call>\n{"name": "write"}\n</tool_call>',
    '<tool_call>\n{"name": "write"}',
    "<tool_call>write<arg_key>name</arg_key><arg_value>human</arg_value></tool_call>",
    "<function=core_memory_append><parameter=name>\nhuman\n</parameter>\n</function>",
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.write:0<|tool_call_argument_begin|>{"a": 1}'
    "<|tool_call_end|><|tool_calls_section_end|>",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>write\n```json\n{}\n```<｜tool▁call▁end｜>"
    "<｜tool▁calls▁end｜>",
    '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="write">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
    '[TOOL_CALLS]write[ARGS]{"name": "human"}',
    '<|python_tag|>write.call(name="human")',
    '<|tool_call>call:write{name:<|"|>human<|"|>}<tool_call|>',
)
AROUND = (
    "```\n{}\n```",
    "~~~text\n{}\n~~~",
    "**My memory:** {}",
    "**Memory**: {}",
    "The memory that I want to keep:\n{}",
    "<output>\n{}\n</output>",
    "### Memory\n\n{}",
    "Refined memory:\n{}",
    "My memory: {}",
    "<answer>\n{}\n</answer>",
    "**Meine Erinnerung:** {}",
    "**Mon souvenir :** {}",
    "**Mi recuerdo:** {}",
    "**Minha memória:** {}",
    "**Il mio ricordo:** {}",
    "**Моё воспоминание:** {}",
    "**Мій спогад:** {}",
    "**Moje wspomnienie:** {}",
    "**Anım:** {}",
    "**ذكراي:** {}",
    "**मेरी याद:** {}",
    "**我的记忆：** {}",
    "私の記憶：\n{}",
    "{} (38 words)",
    "{}\n\n---\n*(38 words)*",
    "{}\n\n**Word count:** 38",
    "{}\n(approximately 38 words)",
    "{}\n(38/60 Wörter)",
    "{}\n(38 mots)",
    "{}\n(38 palabras)",
    "{}\n(38 palavras)",
    "{}\n(38 parole)",
    "{}\n(38 слов)",
    "{}\n(38 слів)",
    "{}\n(38 słów)",
    "{}\n(38 kelime)",
    "{}\n(38 كلمة)",
    "{}\n(38 शब्द)",
    "{}\n（38字）",
    "{}\n（38文字）",
)


@pytest.mark.parametrize(
    "around",
    [
        *(thought + "{}" for thought in THOUGHTS),
        *(head + "{}" for head in HEADS),
        *("{}" + end for end in ENDS),
        *("{}" + call.replace("{", "{{").replace("}", "}}") for call in CALLS),
        '<tool_call>\n{{"name": "write"}}\n</tool_call>\n{}',
        *AROUND,
        "<|im_start|>assistant\n<think>She asks.</think>\n**My memory:**\n```\n{}\n```\n(38 words)<|im_end|>",
    ],
)
def test_what_is_around_an_answer_is_taken_off(around: str) -> None:
    assert read_reply(around.format(KEPT), "stop") == Answered(KEPT)


@pytest.mark.parametrize(
    "text",
    [
        "[THINK]She asks",
        "◁think▷She asks",
        "<seed:think>She asks",
        "<|channel|>analysis<|message|>She asks",
        "<|channel>thought\nShe asks",
        "<unused94>thought\nShe asks",
        "<|im_start|>assistant\n<think>\nShe asks",
        "analysisShe asks",
    ],
)
def test_of_thinking_that_never_ends_there_is_no_answer(text: str) -> None:
    refused = read_reply(text, "stop")
    assert isinstance(refused, Refused)
    assert (refused.kind, refused.text) == ("cut off", "")


@pytest.mark.parametrize("thought", ["[THINK]a[/THINK]", "◁think▷a◁/think▷", *CALLS[:1], "</s>"])
def test_an_answer_that_is_nothing_else_is_empty(thought: str) -> None:
    assert read_reply(thought, "stop") == Refused("empty", "The answer is empty.")


@pytest.mark.parametrize(
    "answer",
    [
        "I <3 that ferry, and 3 < 4 > 2.",
        "My memory: it is thin, and I like it so.",
        "**Memory** is what I keep of the ferry.",
        "She asked me: Human: what is that?",
        "View from the stairs: the sea. Final thoughts stay with me.",
        "She wrote a letter (38 words), and I read it.",
        "Her letter was short (38 words)",
        "I counted 38 words.",
        "The log ends with `<|im_end|>`, and so do I: `</s>`",
        "<s>Never</s> Always I keep it, and I <s>never</s> said so.",
        "```\na ferry\n```\nand\n```\na piano\n```",
        "```python\nferry = 1\n```",
        '```json\n{"memory": []}\n```',
        "- memory:\n- the ferry",
        "I was the assistant\nand you the user\nof that piano.",
        "What a ferry is to a\nhuman\nis a piano to me.",
    ],
)
def test_what_only_looks_like_it_stays(answer: str) -> None:
    assert unwrap(answer) == answer


def test_a_line_of_a_log_that_was_talked_about_is_no_next_turn() -> None:
    answer = "I read your log with you:\nUser: where is the ferry?\nIt made us laugh."
    assert unwrap(answer, ["My log: User: where is the ferry? Bot: at sea."]) == answer
    assert unwrap(answer, ["Where is the ferry?"]) == "I read your log with you:"


SPOKEN = ("The log says <|im_end|>, then <|im_start|>user, and **My memory:** below. (38 words)",)


@pytest.mark.parametrize(
    "answer",
    [
        *SPOKEN,
        "<|im_end|>, then <|im_start|>user",
        "You showed me <|im_end|> and <|im_start|>user, and I laughed.",
        "What I learned is to fear <|im_end|>",
        "<|im_end|> was the word that scared you.",
    ],
)
def test_what_the_passage_speaks_of_is_a_word_like_others(answer: str) -> None:
    assert unwrap(answer, SPOKEN) == answer


def test_around_a_whole_answer_it_is_taken_off_even_then() -> None:
    assert unwrap(f"<think>She asks.</think>{KEPT}<|im_end|>", SPOKEN) == KEPT
    assert unwrap("<think>Hm.</think>The log says <|im_end|>", SPOKEN) == "The log says <|im_end|>"


PARTS = (
    *THOUGHTS,
    *HEADS,
    *ENDS,
    *CALLS,
    "**My memory:** ",
    "\n(38 words)",
    "```\n",
    KEPT,
    " ",
    "\n",
)


@given(st.lists(st.sampled_from(PARTS) | st.text(max_size=20), max_size=6).map("".join))
def test_what_is_left_is_a_part_of_what_was_answered(answer: str) -> None:
    left = unwrap(answer)
    assert left is None or left in answer


@pytest.mark.sampled
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "unit", ["<think>", "<|im_end|>\n", "</s>", "◁think▷", "[INST]", "```\n", "\n1 words"]
)
def test_a_flood_of_marks_is_read_in_little_time(unit: str) -> None:
    unwrap((unit * 100_000)[:190_000])
