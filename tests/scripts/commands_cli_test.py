"""What the program says of commands and arguments that it does not know. commands_cli_test.py PROGRAM BUILD_FOLDER."""

import subprocess
import sys

program = sys.argv[1]


def refused(*arguments):
    run = subprocess.run([program, *arguments], capture_output=True, text=True)
    assert run.returncode == 2 and run.stdout == "" and run.stderr.count("\n") == 1, (arguments, run)
    return run.stderr


# An unknown command is named, with the nearest one and all there are, whatever comes behind it.
for wrong, nearest in (("tokenise", "tokenize"), ("exprot", "export"), ("sdap", "sdpa"), ("isdp", "isdpa"), ("ben", "bench")):
    for behind in ([], ["--text", "a b", "--out", "x.png"], ["x", "trace"]):
        words = refused(wrong, *behind)
        assert f"there is no command '{wrong}'" in words, words
        assert f"the nearest is '{nearest}'" in words, words
        for known in ("open", "export", "tour", "sdpa", "isdpa", "tokenize", "train-tokenizer", "bench", "trace", "generate",
                      "evaluate", "heads", "context", "corpus", "info"):
            assert known in words, (known, words)
        assert "x.png" not in words, words
words = refused("translate", "--text", "a b")
assert "there is no command 'translate'" in words and "the nearest is '" in words, words

# What a known command does not take is listed in the order in which it was given.
words = refused("info", "first", "second", "--third")
assert "not expected: first second --third" in words and words.startswith("headlight info: "), words
words = refused("--frehs")
assert "this argument was not expected: --frehs" in words, words
# An option that is nearly one of the command's names that one; one that is like none does not.
for arguments, nearest in ((["tokenize", "--tokenizr", "bpe", "a"], "--tokenizer"), (["trace", "--layer", "2"], "--layers"),
                           (["bench", "isdpa", "--second", "1"], "--seconds"), (["export", "--out", "x.png", "--wdith", "3"], "--width")):
    words = refused(*arguments)
    assert f"the nearest option is '{nearest}'" in words, words
assert "nearest" not in refused("trace", "--colour", "red")
