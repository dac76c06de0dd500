import { endOfString } from '@sluice/contract/bounded-json'
import { member } from './faults.ts'

/** As many as are worth reading; a hostile body could have a fault in every other byte. */
const mostFaults = 20

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
 * The names that an object in the text has twice, with their JSON paths: `JSON.parse` keeps the last value and tells
 * nobody, and another reader of the same text may keep the first. The text must be JSON.
 */
export function duplicateNames(text: string): string[] {
  const faults: string[] = []
  const open: Open[] = []
  let inner: Open | undefined
  for (let at = 0; at < text.length && faults.length < mostFaults; at++) {
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
          if (inner.names.has(inner.name)) faults.push(`${pathTo(open)}: expected once, it is there again`)
          inner.names.add(inner.name)
        }
        at = end
      }
    }
  }
  return faults
}

/** `"\u0061"` and `"a"` are one name. */
const nameIn = (quoted: string): string => (quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1))

const pathTo = (open: readonly Open[]): string =>
  `$${open.map(({ names, name, index }) => (names ? member(name) : `[${index}]`)).join('')}`
