//! Strict JSON (RFC 8259). Texts that two readers could understand differently are rejected:
//! duplicate names, lone surrogates, numbers beyond the range of a double. Size and depth are
//! limited, so that no input exhausts memory or the stack.

use std::collections::BTreeMap;

pub const BYTES_MAX: usize = 1 << 20;
/// Arrays and objects inside each other; the outermost counts as 1.
pub const DEPTH_MAX: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Flag(bool),
    /// Always finite. A double, as canonical JSON requires, so a larger whole number is rounded.
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Object(Object),
}

pub type Object = BTreeMap<String, Value>;

impl Value {
    /// The member of an object; None without it, and for any other value.
    pub fn member(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Object(object) => object.get(name),
            _ => None,
        }
    }
}

pub fn parse(input: &[u8]) -> Result<Value, String> {
    if input.len() > BYTES_MAX {
        return Err(format!("larger than {} bytes", BYTES_MAX));
    }
    let text = std::str::from_utf8(input).map_err(|_| "not valid UTF-8")?;
    let mut parser = Parser { text, at: 0 };
    let value = parser.value(1)?;
    parser.skip_space();
    match parser.peek() {
        None => Ok(value),
        Some(_) => Err(parser.fault("unexpected text after the value")),
    }
}

struct Parser<'a> {
    text: &'a str,
    /// In bytes; always between two characters.
    at: usize,
}

impl<'a> Parser<'a> {
    fn value(&mut self, depth: usize) -> Result<Value, String> {
        self.skip_space();
        match self.peek() {
            Some(b'{' | b'[') if depth > DEPTH_MAX => {
                Err(self.fault(&format!("nested deeper than {} levels", DEPTH_MAX)))
            }
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(Value::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ if self.take("null") => Ok(Value::Null),
            _ if self.take("true") => Ok(Value::Flag(true)),
            _ if self.take("false") => Ok(Value::Flag(false)),
            _ => Err(self.fault("expected a value")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, String> {
        let mut members = Object::new();
        self.at += 1;
        self.skip_space();
        if self.take("}") {
            return Ok(Value::Object(members));
        }
        loop {
            self.skip_space();
            let start = self.at;
            let name = self.string()?;
            if members.contains_key(&name) {
                self.at = start;
                return Err(self.fault("duplicate name"));
            }
            self.skip_space();
            self.expect(":")?;
            let value = self.value(depth + 1)?;
            members.insert(name, value);
            self.skip_space();
            if self.take("}") {
                return Ok(Value::Object(members));
            }
            self.expect(",")?;
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, String> {
        let mut items = Vec::new();
        self.at += 1;
        self.skip_space();
        if self.take("]") {
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space();
            if self.take("]") {
                return Ok(Value::List(items));
            }
            self.expect(",")?;
        }
    }

    fn number(&mut self) -> Result<Value, String> {
        let start = self.at;
        self.take("-");
        if !self.take("0") {
            self.digits()?;
        }
        if self.take(".") {
            self.digits()?;
        }
        if self.take("e") || self.take("E") {
            let _signed = self.take("+") || self.take("-");
            self.digits()?;
        }
        match self.text[start..self.at].parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Number(number)),
            _ => Err(self.fault("the number is out of range")),
        }
    }

    fn digits(&mut self) -> Result<(), String> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at > start {
            Ok(())
        } else {
            Err(self.fault("expected a digit"))
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.expect("\"")?;
        let mut content = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.bytes().position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\');
            let length = plain.unwrap_or(rest.len());
            content.push_str(&rest[..length]);
            self.at += length;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(content);
                }
                Some(b'\\') => content.push(self.escape()?),
                Some(_) => return Err(self.fault("unescaped control character")),
                None => return Err(self.fault("unterminated string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        self.at += 1;
        let symbol = self.peek();
        let character = match symbol {
            Some(b'"' | b'\\' | b'/') => symbol.map(char::from),
            Some(b'b') => Some('\u{8}'),
            Some(b'f') => Some('\u{c}'),
            Some(b'n') => Some('\n'),
            Some(b'r') => Some('\r'),
            Some(b't') => Some('\t'),
            Some(b'u') => return self.code_point(),
            _ => None,
        };
        let character = character.ok_or_else(|| self.fault("unknown escape"))?;
        self.at += 1;
        Ok(character)
    }

    /// After the backslash: `u` and four digits, or two such escapes for a surrogate pair.
    fn code_point(&mut self) -> Result<char, String> {
        let first = self.code_unit()?;
        let code = if (0xd800..0xdc00).contains(&first) && self.take("\\") {
            let second = self.code_unit()?;
            let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400);
            low.map(|low| 0x10000 + ((first - 0xd800) << 10) + low)
        } else {
            Some(first)
        };
        code.and_then(char::from_u32).ok_or_else(|| self.fault("lone surrogate"))
    }

    fn code_unit(&mut self) -> Result<u32, String> {
        self.expect("u")?;
        let digits = self.text.as_bytes().get(self.at..self.at + 4).unwrap_or(&[]);
        let mut unit = 0;
        for digit in digits {
            let value = char::from(*digit).to_digit(16);
            unit = 16 * unit + value.ok_or_else(|| self.fault("expected four hex digits"))?;
        }
        if digits.is_empty() {
            return Err(self.fault("expected four hex digits"));
        }
        self.at += 4;
        Ok(unit)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips this text if it comes next.
    fn take(&mut self, expected: &str) -> bool {
        let is_next = self.text[self.at..].starts_with(expected);
        if is_next {
            self.at += expected.len();
        }
        is_next
    }

    fn expect(&mut self, expected: &str) -> Result<(), String> {
        if self.take(expected) {
            Ok(())
        } else {
            Err(self.fault(&format!("expected {}", expected)))
        }
    }

    fn fault(&self, what: &str) -> String {
        format!("{} at byte {}", what, self.at)
    }
}
