import { type Member, type Model, matchesPattern, memberAt, type Shape, shapeOf } from '../../src/model/model.ts'

/** Texts that match nearly every pattern of the models; `odd` lists the rest. */
const texts = [
  'abc',
  'a',
  '1',
  '12',
  'example-name',
  '123456789012',
  'arn:aws:iam::123456789012:role/example',
  'arn:aws:lambda:eu-west-1:123456789012:function:example',
  'arn:aws:lambda:eu-west-1:123456789012:function:example:1',
  'arn:aws:lambda:eu-west-1:123456789012:layer:example:1',
  'arn:aws:lambda:eu-west-1:123456789012:code-signing-config:csc-0123456789abcdef0',
  'arn:aws:elasticfilesystem:eu-west-1:123456789012:access-point/fsap-0123456789abcdef0',
  'arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d-0000-4000-8000-123456789012',
  'arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-123456789012',
  'arn:aws:sqs:eu-west-1:123456789012:example',
  'arn:aws:secretsmanager:eu-west-1:123456789012:secret:example',
  'arn:aws:events:eu-west-1:123456789012:event-bus/example',
  'arn:aws:cloudfront::123456789012:key-value-store/0a1b2c3d-0000-4000-8000-123456789012',
  '0a1b2c3d-0000-4000-8000-123456789012',
  'www.example.com',
  'i-0123456789abcdef0',
  '/mnt/example',
  '$LATEST',
  'nodejs22.x',
  'https://example.com/',
  'eu-west-1',
  '50%',
  'rate(1 hour)',
  '$default',
  '$.detail',
  'LATEST',
  'v1',
  'us-east-1a',
  'vpc-0123456789abcdef0',
  'subnet-0123456789abcdef0',
  'sg-0123456789abcdef0',
  'a'.repeat(64),
  `sha256:${'a'.repeat(64)}`,
]

/** Returns a text that satisfies the constraints, or undefined if none is known. */
export function exampleText({
  enum: values,
  pattern,
  min = 0,
  max = Number.POSITIVE_INFINITY,
}: Shape): string | undefined {
  if (values) return values[0]
  const grown = texts.map((text) => (text.length < min ? text.padEnd(min, 'a') : text))
  return grown.find((text) => text.length <= max && (pattern === undefined || matchesPattern(pattern, text)))
}

/** Maximum depth of recursive shapes. */
const deepest = 7

/** Returns a valid value with every member for which an example is known. */
export function example(model: Model, at: Member, depth = 0): unknown {
  const shape = shapeOf(model, at)
  const inner = (member: Member | undefined) => (member === undefined ? undefined : example(model, member, depth + 1))
  if (depth > deepest) return undefined
  switch (shape.type) {
    case 'structure':
      return exampleFields(model, shape, depth)
    case 'list': {
      const item = inner(shape.member)
      return item === undefined ? undefined : Array.from({ length: Math.max(1, shape.min ?? 1) }, () => item)
    }
    case 'map': {
      const [key, value] = [inner(shape.key), inner(shape.value)]
      if (key === undefined || value === undefined) return undefined
      const keys = Array.from({ length: Math.max(1, shape.min ?? 1) }, (_, index) => `${key}${index || ''}`)
      return Object.fromEntries(keys.map((one) => [one, value]))
    }
    case 'string':
      return exampleText(shape)
    case 'blob':
      return Buffer.from('example').toString('base64')
    case 'boolean':
      return true
    case 'timestamp':
      return 1_700_000_000
    case 'document':
      return {}
    default:
      return Math.min(Math.max(1, shape.min ?? 1), shape.max ?? 1)
  }
}

function exampleFields(model: Model, { members = {}, required = [] }: Shape, depth: number): unknown {
  const fields: Record<string, unknown> = {}
  for (const [name, at] of Object.entries(members)) {
    const value = example(model, at, depth)
    if (value !== undefined) fields[name] = value
    else if (required.includes(name)) return undefined
  }
  return fields
}

export const isText = (at: Member): boolean => ['uri', 'header', 'querystring'].includes(memberAt(at).location ?? '')

/** Returns the input without optional query members. */
export function withoutQuery(model: Model, at: Member, fields: Record<string, unknown>): Record<string, unknown> {
  const { members = {}, required = [] } = shapeOf(model, at)
  const kept = Object.entries(fields).filter(
    ([name]) => required.includes(name) || memberAt(members[name] ?? '').location !== 'querystring',
  )
  return Object.fromEntries(kept)
}
