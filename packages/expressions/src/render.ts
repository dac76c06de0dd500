/** One template that cannot be rendered: where it stands, and why. */
export type Fault = { path: string; message: string }

/** Everything that is wrong with the templates of a value, all at once. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
  readonly faults: Fault[]
  constructor(faults: Fault[]) {
    super(faults.map(({ path, message }) => `${path}: ${message}`).join('\n'))
    this.faults = faults
  }
}

const wholeReference = /^\s*<<\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*>>\s*$/

/**
 * Renders every template in `value`: a string that is one reference such as `<< deploy.input.image_ref >>` becomes the
 * typed value it names, everything else stays as it is. A missing member is null; a root that does not exist, and any
 * other use of `<<`, is a fault. `path` is where `value` stands, for the faults.
 * @throws {ExpressionError} with every fault.
 */
export function render(value: unknown, roots: Record<string, unknown>, path = ''): unknown {
  const faults: Fault[] = []
  const rendered = walk(value, path)
  if (faults.length > 0) throw new ExpressionError(faults)
  return rendered

  function walk(node: unknown, at: string): unknown {
    if (typeof node === 'string') return renderText(node, at)
    if (Array.isArray(node)) return node.map((item, index) => walk(item, `${at}[${index}]`))
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(
      Object.entries(node).map(([key, member]) => [key, walk(member, at ? `${at}.${key}` : key)]),
    )
  }

  function renderText(text: string, at: string): unknown {
    if (!text.includes('<<')) return text
    const [, reference] = wholeReference.exec(text) ?? []
    if (reference === undefined) {
      faults.push({ path: at, message: 'expected a single reference such as << deploy.input.image_ref >>' })
      return null
    }
    const [root = '', ...members] = reference.split('.')
    if (Object.hasOwn(roots, root)) return members.reduce(memberOf, roots[root])
    faults.push({ path: at, message: `there is no ${root} here; there is ${Object.keys(roots).sort().join(', ')}` })
    return null
  }
}

/** Own members only, so that nothing inherited (`constructor`, `__proto__`) can be reached. */
function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null
  return (value as Record<string, unknown>)[name] ?? null
}
