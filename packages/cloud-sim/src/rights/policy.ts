/** A statement of a policy, as IAM writes it; what it can say beyond this is refused by name. */
export interface Statement {
  Effect: 'Allow' | 'Deny'
  Action: string | string[]
  Resource: string | string[]
  /** By operator and key: `{ StringEquals: { 'iam:PassedToService': 'ecs.amazonaws.com' } }`. */
  Condition?: Record<string, Record<string, string | string[]>>
}

/** An action on a resource, and what a condition may ask about it: by the names of condition keys. */
export interface Request {
  action: string
  resource: string
  context: Readonly<Record<string, string>>
}

export type Verdict = 'allowed' | 'denied' | 'not allowed'

/** A denial wins; what nobody allows is not allowed ("Policy evaluation logic" of the IAM guide, read 2026-11). */
export function judge(policy: readonly Statement[], request: Request): Verdict {
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

/** The names of condition keys are told apart without their case. */
const keyed = (context: Request['context'], key: string): string | undefined =>
  Object.entries(context).find(([name]) => name.toLowerCase() === key.toLowerCase())?.[1]

const comparisons: Record<string, (value: string, wanted: string) => boolean> = {
  StringEquals: (value, wanted) => value === wanted,
  StringEqualsIgnoreCase: (value, wanted) => value.toLowerCase() === wanted.toLowerCase(),
  StringLike: (value, wanted) => fits(wanted, value),
  ArnEquals: (value, wanted) => fits(wanted, value),
  ArnLike: (value, wanted) => fits(wanted, value),
}

/** A key that a request does not have fits nothing: only its negation holds, or what asks `…IfExists`. */
function holds(operator: string, value: string | undefined, wanted: string[]): boolean {
  const name = operator.replace(/IfExists$/, '')
  if (value === undefined) return operator !== name || isNegated(name)
  const isEqual = comparisons[name.replace('Not', '')]
  return isEqual !== undefined && wanted.some((one) => isEqual(value, one)) !== isNegated(name)
}

const isNegated = (operator: string) => /^(String|Arn)Not/.test(operator)

/** `*` is any text, `?` any character. */
function fits(pattern: string, text: string): boolean {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^]*')
    .replaceAll('?', '[^]')
  return new RegExp(`^${source}$`).test(text)
}

/** What of a policy is not understood here, in a sentence; a rule that nobody keeps would be worse than none. */
export function whyNotUnderstood(statement: object): string | undefined {
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
