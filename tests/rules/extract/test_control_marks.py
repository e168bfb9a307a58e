"""A control mark is told from what people write, in the spelling of every family of models."""

import pytest

from rules.extract.answers import pick_quote, write_analysis, write_perspective
from rules.extract.control_marks import find_marks, holds_mark, kinds_of_marks
from rules.extract.prose import Said
from tests.rules.extract.refining import refinement

_MARKS = """
    <|im_end|> <|eot_id|> <|start_header_id|> <|channel|> <|endoftext|> <|reserved_special_token_4|> <|turn> <turn|>
    </channel|> <|tool_call> <start_of_turn> <end_of_turn> <unused6226> <bos> <eos> <｜User｜> <｜tool▁calls▁begin｜>
    <｜DSML｜tool_calls> </｜DSML｜tool_calls> <|tool_calls_section_begin|> ◁think▷ ◁/think▷ [THINK] [/THINK] [INST]
    [TOOL_CALLS] <<SYS>> <s> </s> <pad> [|endofturn|] [e~[ <think> </THINKING> <seed:think> </seed:think> <tool_call>
    <minimax:tool_call> <arg_key> </answer> <|START_OF_TURN_TOKEN|> <|python_tag|> <function=write> </function>
    <extra_id_1> ]<]minimax[>[
"""
MARKS = (
    *_MARKS.split(),
    "<｜end of sentence｜>",
    '<｜DSML｜invoke name="write">',
    '<invoke name="write">',
)
_NONE = """
    <3 </3 >_< <- -> <= <|> >:| <b> </em> <br/> <T> a<b>c |x|<|y| <x|A|y> <|x|> <|ψ|²> [x] [1] [^1] [image] [!NOTE]
    [link](https://a.b) <https://a.b> <me@a.b> <name> <system> ◁▷ x|y List<String> usage:[ARGS]
"""
NONE = (
    *_NONE.split(),
    "f <| x |> g, since a < b and |c| > 2",
    "I <s>hated</s> loved it, and <s>never</s> said so.",
    "| a | <b | c |\n|---|---|---|\n| 1 | 2> | 3 |",
)


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_is_known_in_the_middle_of_words(mark: str) -> None:
    assert [match[0] for match in find_marks(f"The sea {mark} breathes.")] == [mark]
    assert holds_mark(f"`{mark}`")


@pytest.mark.parametrize("text", NONE)
def test_what_people_write_holds_none(text: str) -> None:
    assert not find_marks(text)
    assert not holds_mark(text)


@pytest.mark.parametrize(
    "code", ["`{}`", "```\n{}\n```", "So:\n~~~python\n{}\n~~~", "```\n{} and it stays open"]
)
def test_code_is_not_looked_at_but_data_in_a_fence_is(code: str) -> None:
    for mark in MARKS:
        assert not find_marks(code.format(mark))
        assert len(find_marks(f'```json\n[{{"text": "Tea.{mark}"}}]\n```\nAnd {mark}')) == 2


def test_a_mark_that_ends_a_part_is_of_a_kind_with_the_one_that_begins_it() -> None:
    assert kinds_of_marks(["<think>", "[INST]"]) == kinds_of_marks(["</Think> [/INST]"])


def test_the_engine_picks_no_sentence_with_a_mark_not_even_in_code() -> None:
    said = [
        Said("user", "Can you tell me why `<|im_end|>` is in the log of my boat's radio?", ""),
        Said("assistant", "I feel sure that <|im_end|> broke the radio. I am glad about the new oar.", ""),
        Said("user", "The oar from Trieste is lighter. Would you varnish the oar again in May?", ""),
    ]  # fmt: skip
    told = [
        write_perspective(said, 200),
        write_analysis(said, 100),
        refinement(said, 200),
        pick_quote(said, 60),
    ]
    assert not any(map(holds_mark, told))
    assert "varnish the oar" in told[1]
    assert pick_quote([Said("assistant", "<|im_end|> hm", "")], 60) == ""
