import { CloudError } from '../errors.ts'

/** The kinds of what has an ARN, as messages name them. */
const kinds = {
  'load balancer': 'loadbalancer/(?:app|net|gwy)/[^/]+/[0-9a-z]+',
  listener: 'listener/(?:app|net|gwy)/[^/]+/[0-9a-z]+/[0-9a-z]+',
  'listener rule': 'listener-rule/(?:app|net|gwy)/[^/]+/[0-9a-z]+/[0-9a-z]+/[0-9a-z]+',
  'target group': 'targetgroup/[^/]+/[0-9a-z]+',
}

/** Throws where a text is not an ARN of its kind: only a well-formed one can name what is not there. */
export function checkArn(kind: keyof typeof kinds, arn: string): void {
  if (new RegExp(`^arn:aws[a-z-]*:elasticloadbalancing:[a-z0-9-]+:\\d{12}:${kinds[kind]}$`).test(arn)) return
  throw new CloudError('ValidationError', `'${arn}' is not a valid ${kind} ARN`)
}
