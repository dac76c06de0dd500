import { invalidParameter } from '../errors.ts'

/** Reports whether a message matches a filter pattern. */
export type Filter = (message: string) => boolean

/**
 * Compiles a filter pattern ("Filter pattern syntax" in the user guide, read 2026-11): terms, `"phrases"`,
 * `%expressions%`, `-without`, `?any ?of ?these`, and JSON comparisons such as `{ $.status >= 500 && $.path = "/cart*"
 * }`.
 */
export function compileFilter(pattern = ''): Filter {
  const trimmed = pattern.trim()
  if (trimmed === '') return () => true
  if (trimmed.startsWith('[')) throw invalidParameter('The simulated cloud knows no patterns of space-delimited lines.')
  return trimmed.startsWith('{') ? ofJson(trimmed) : ofTerms(trimmed)
}

function ofTerms(pattern: string): Filter {
  const terms = [...pattern.matchAll(/([?-]?)(?:"((?:[^"\\]|\\.)*)"|%([^%]*)%|(\S+))/g)].map(
    ([, sign = '', phrase, expression, word]) => ({
      sign,
      fits:
        expression === undefined
          ? containing(phrase?.replaceAll('\\"', '"') ?? word ?? '')
          : matching(new RegExp(expression)),
    }),
  )
  const [needed, unwanted, any] = ['', '-', '?'].map((sign) => terms.filter((term) => term.sign === sign))
  return (message) =>
    !unwanted?.some(({ fits }) => fits(message)) &&
    // Optional terms have no effect next to required ones.
    (needed?.length || !any?.length
      ? needed?.every(({ fits }) => fits(message)) === true
      : any.some(({ fits }) => fits(message)))
}

const containing =
  (text: string): Filter =>
  (message) =>
    message.includes(text)

const matching =
  (expression: RegExp): Filter =>
  (message) =>
    expression.test(message)

function ofJson(pattern: string): Filter {
  const inner = /^\{(.*)\}$/s.exec(pattern)?.[1] ?? ''
  const alternatives = inner.split('||').map((part) => part.split('&&').map(comparison))
  return (message) => {
    const value = parsed(message)
    return value !== undefined && alternatives.some((all) => all.every((holds) => holds(value)))
  }
}

function parsed(message: string): unknown {
  try {
    return JSON.parse(message)
  } catch {
    return undefined // lines that are not JSON never match
  }
}

function comparison(text: string): (value: unknown) => boolean {
  const found = /^\s*\$((?:\.\w+|\[\d+\])+)\s*(=|!=|<=|>=|<|>)\s*(?:"([^"]*)"|(\S+))\s*$/.exec(text)
  if (!found) throw invalidParameter(`Invalid filter pattern: ${text.trim()}`)
  const [, path = '', operator = '', quoted, bare = ''] = found
  const steps = path.match(/\w+/g) ?? []
  const wanted = quoted ?? bare
  const number = quoted === undefined && bare !== '' ? Number(bare) : Number.NaN
  return (value) => {
    const at = steps.reduce<unknown>((inside, step) => (inside as Record<string, unknown> | undefined)?.[step], value)
    if (at === undefined) return false
    if (operator === '=' || operator === '!=') return like(String(at), wanted) === (operator === '=')
    const order = {
      '<': Number(at) < number,
      '<=': Number(at) <= number,
      '>': Number(at) > number,
      '>=': Number(at) >= number,
    }
    return order[operator as keyof typeof order]
  }
}

/** Reports whether a text matches a pattern in which `*` stands for any text. */
const like = (text: string, wanted: string): boolean =>
  new RegExp(`^${wanted.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 's').test(text)
