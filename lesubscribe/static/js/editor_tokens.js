// The words of the search language, for their colours: the lexical rules of schema_registry/language/grammar.lark,
// and just enough of its syntax to tell an attribute from a value. It never refuses: what is wrong is told by the server.

const LETTER = "[\\p{L}\\p{N}_]";
const KEYWORD = new RegExp(`(?:and|or|not|in|between|contains|exists)(?!${LETTER})`, "iuy");
const COMPARATOR = /[<>]=?|!=|=/y;
const STRING = /'(?:[^']|'')*'?|"(?:[^"]|"")*"?/y;
const NUMBER = new RegExp(`[+-]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\\p{L}\\p{N}_.-])`, "uy");
const NAME = new RegExp(`(?![0-9])${LETTER}+`, "uy");
const WORD = new RegExp(`${LETTER}[^\\x00-,/:-@\\[-^\`{-\\x7f\\s]*`, "uy");
const BRACKET = /[()[\],]/y;

// What each kind of word makes us expect: an attribute's name, an operator, a value, a list of them.
const AFTER_OPERATOR = { in: "list", between: "first", exists: "joint" };

/** The words of the text as [start, end, kind], in order; kind is attribute, operator, keyword, value or string. */
export function tokens(text) {
  const found = [];
  let expected = "name";
  let place = 0;
  while (place < text.length) {
    const [kind, length] = next(text, place, expected);
    const end = place + length;
    if (kind) {
      found.push([place, end, kind]);
      expected = following(expected, kind, text.slice(place, end).toLowerCase());
    }
    place = end;
  }
  return found;
}

function next(text, place, expected) {
  const longest = (rule) => {
    rule.lastIndex = place;
    return rule.exec(text)?.[0].length ?? 0;
  };
  const isValue = ["value", "list", "first", "second"].includes(expected);
  let length;
  if ((length = longest(STRING))) return ["string", length];
  if ((length = longest(COMPARATOR))) return ["operator", length];
  if ((length = longest(KEYWORD)) && !isLongerWord(text, place, length, isValue)) {
    return [isJoint(text.slice(place, place + length)) ? "keyword" : "operator", length];
  }
  if (isValue && (length = longest(NUMBER) || longest(WORD))) return ["value", length];
  if ((length = longest(NAME))) return [expected === "name" ? "attribute" : "other", length];
  if ((length = longest(BRACKET))) return ["bracket", length];
  return ["", 1];
}

/** Where a value may stand, in-law is a word and not the operator `in`. */
function isLongerWord(text, place, length, isValue) {
  return isValue && /^[.-]/.test(text.slice(place + length));
}

function isJoint(word) {
  return ["and", "or", "not"].includes(word.toLowerCase());
}

function following(expected, kind, word) {
  if (kind === "attribute") return "operator";
  if (kind === "operator") return AFTER_OPERATOR[word] ?? "value";
  if (kind === "keyword") return expected === "second" ? "second" : "name";
  if (kind === "bracket") return word === ")" ? "joint" : expected;
  if (kind === "value" || kind === "string") return { list: "list", first: "second" }[expected] ?? "joint";
  return expected;
}
