import { endOfString } from './bounded-json.ts'
import { jsonPathSuffix } from './json-path.ts'

/** Maximum number of reported paths. A hostile text could repeat a name in every other byte. */
const maxPaths = 20

/** Object or array that is open at the current position. */
interface Open {
  /** Names of the object so far. Undefined for an array. */
  names: Set<string> | undefined
  expectsName: boolean
  /** Name or index of the current member. */
  name: string
  index: number
}

/**
 * Returns the JSON paths of duplicate names in a JSON text. Parsers disagree about duplicates: `JSON.parse` silently
 * returns the last value, others the first. `root` is the path of the text itself.
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

/** Unescapes a quoted name, because `"\u0061"` and `"a"` are the same. */
const nameIn = (quoted: string): string => (quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1))

const pathInside = (open: readonly Open[]): string =>
  open.map(({ names, name, index }) => (names ? jsonPathSuffix(name) : `[${index}]`)).join('')
