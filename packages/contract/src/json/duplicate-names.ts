import { endOfString } from './bounded-json.ts'
import { member } from './json-path.ts'

/** As many as are worth reading; a hostile text could repeat a name in every other byte. */
const maxPaths = 20

/** An object or array that is open at some place of the text. */
interface Open {
  /** What the object has so far; undefined in an array. */
  names: Set<string> | undefined
  expectsName: boolean
  /** Where in it the text is. */
  name: string
  index: number
}

/**
 * Returns the JSON paths of names that an object in the text has twice: `JSON.parse` returns the last value without a
 * warning, and another reader of the same text may return the first. The text must be JSON; its own path is `root`.
 */
export function duplicateNames(text: string, root = '$'): string[] {
  const paths: string[] = []
  const open: Open[] = []
  let inner: Open | undefined
  for (let at = 0; at < text.length && paths.length < maxPaths; at++) {
    switch (text[at]) {
      case '{':
      case '[': {
        const names = text[at] === '{' ? new Set<string>() : undefined
        inner = { names, expectsName: names !== undefined, name: '', index: 0 }
        open.push(inner)
        break
      }
      case '}':
      case ']':
        open.pop()
        inner = open.at(-1)
        break
      case ',':
        if (inner?.names) inner.expectsName = true
        else if (inner) inner.index += 1
        break
      case '"': {
        const end = endOfString(text, at)
        if (inner?.names && inner.expectsName) {
          inner.name = nameIn(text.slice(at, end + 1))
          inner.expectsName = false
          if (inner.names.has(inner.name)) paths.push(root + pathInside(open))
          inner.names.add(inner.name)
        }
        at = end
      }
    }
  }
  return paths
}

/** `"\u0061"` and `"a"` are one name. */
const nameIn = (quoted: string): string => (quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1))

const pathInside = (open: readonly Open[]): string =>
  open.map(({ names, name, index }) => (names ? member(name) : `[${index}]`)).join('')
