/** IAM policy statement. Unsupported elements are rejected by name. */
export interface Statement {
  Effect: 'Allow' | 'Deny'
  Action: string | string[]
  Resource: string | string[]
  /** Conditions by operator and key: `{ StringEquals: { 'iam:PassedToService': 'ecs.amazonaws.com' } }`. */
  Condition?: Record<string, Record<string, string | string[]>>
}

/** Action on a resource, with the values of condition keys. */
export interface Request {
  action: string
  resource: string
  context: Readonly<Record<string, string>>
}

export type Verdict = 'allowed' | 'denied' | 'not allowed'

/**
 * Evaluates a policy. An explicit deny wins, and the default is an implicit deny ("Policy evaluation logic" of the IAM
 * guide, read 2026-11).
 */
export function evaluatePolicy(policy: readonly Statement[], request: Request): Verdict {
  const effects = policy.filter((statement) => covers(statement, request)).map(({ Effect }) => Effect)
  if (effects.includes('Deny')) return 'denied'
  return effects.includes('Allow') ? 'allowed' : 'not allowed'
}

const covers = ({ Action, Resource, Condition = {} }: Statement, { action, resource, context }: Request): boolean =>
  list(Action).some((pattern) => fits(pattern.toLowerCase(), action.toLowerCase())) &&
  list(Resource).some((pattern) => fits(pattern, resource)) &&
  Object.entries(Condition).every(([operator, keys]) =>
    Object.entries(keys).every(([key, values]) => holds(operator, keyed(context, key), list(values))),
  )

const list = (value: string | string[]): string[] => (typeof value === 'string' ? [value] : value)

/** Returns the value of a condition key, ignoring case. */
const keyed = (context: Request['context'], key: string): string | undefined =>
  Object.entries(context).find(([name]) => name.toLowerCase() === key.toLowerCase())?.[1]

const comparisons: Record<string, (value: string, wanted: string) => boolean> = {
  StringEquals: (value, wanted) => value === wanted,
  StringEqualsIgnoreCase: (value, wanted) => value.toLowerCase() === wanted.toLowerCase(),
  StringLike: (value, wanted) => fits(wanted, value),
  ArnEquals: (value, wanted) => fits(wanted, value),
  ArnLike: (value, wanted) => fits(wanted, value),
}

/** Evaluates a condition. Without a value, only negations and `…IfExists` operators match. */
function holds(operator: string, value: string | undefined, wanted: string[]): boolean {
  const name = operator.replace(/IfExists$/, '')
  if (value === undefined) return operator !== name || isNegated(name)
  const isEqual = comparisons[name.replace('Not', '')]
  return isEqual !== undefined && wanted.some((one) => isEqual(value, one)) !== isNegated(name)
}

const isNegated = (operator: string) => /^(String|Arn)Not/.test(operator)

/** Reports whether a text matches a pattern with the wildcards `*` and `?`. */
function fits(pattern: string, text: string): boolean {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^]*')
    .replaceAll('?', '[^]')
  return new RegExp(`^${source}$`).test(text)
}

/** Returns which part of a statement is unsupported, because ignoring it would be worse than rejecting it. */
export function unsupportedPart(statement: object): string | undefined {
  const other = Object.keys(statement).find((name) => !known.has(name))
  if (other !== undefined) return `The simulated cloud knows no ${other} in statements of policies.`
  const { Effect, Action, Resource, Condition = {} } = statement as Statement
  if (Effect !== 'Allow' && Effect !== 'Deny') return 'Effect must be Allow or Deny.'
  if (!isTexts(Action) || !isTexts(Resource)) return 'Action and Resource must be texts.'
  if (JSON.stringify(statement).includes('${')) return 'The simulated cloud knows no variables in policies.'
  const operator = Object.keys(Condition).find(
    (name) => !(name.replace('Not', '').replace(/IfExists$/, '') in comparisons),
  )
  return operator && `The simulated cloud knows no operator ${operator} in conditions.`
}

const known = new Set(['Sid', 'Effect', 'Action', 'Resource', 'Condition'])

const isTexts = (value: unknown) =>
  typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'))
