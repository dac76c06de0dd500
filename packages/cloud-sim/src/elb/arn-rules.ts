import { CloudError } from '../errors.ts'

/** ARN patterns by resource type, as named in errors. */
const kinds = {
  'load balancer': 'loadbalancer/(?:app|net|gwy)/[^/]+/[0-9a-z]+',
  listener: 'listener/(?:app|net|gwy)/[^/]+/[0-9a-z]+/[0-9a-z]+',
  'listener rule': 'listener-rule/(?:app|net|gwy)/[^/]+/[0-9a-z]+/[0-9a-z]+/[0-9a-z]+',
  'target group': 'targetgroup/[^/]+/[0-9a-z]+',
}

/**
 * Throws if a text is not a well-formed ARN of this type. Well-formed ARNs of missing resources have a different error.
 */
export function checkArn(kind: keyof typeof kinds, arn: string): void {
  if (new RegExp(`^arn:aws[a-z-]*:elasticloadbalancing:[a-z0-9-]+:\\d{12}:${kinds[kind]}$`).test(arn)) return
  throw new CloudError('ValidationError', `'${arn}' is not a valid ${kind} ARN`)
}
