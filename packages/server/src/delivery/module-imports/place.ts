import { homeRegionOf } from '../../cloud/facts/partition.ts'
import type { ImportPlace } from './found.ts'

const types = { ecs: 'cloud:ecs', lambda: 'cloud:lambda' } as const

/** Parses an ARN that matches the contract's pattern: `arn:PARTITION:SERVICE:REGION:ACCOUNT:…`. */
export function placeOfArn(arn: string): ImportPlace {
  const [, , service = '', region = '', accountNumber = ''] = arn.split(':')
  const type = types[service as keyof typeof types]
  return { type, arn, region: region === '' ? homeRegionOf(arn) : region, accountNumber }
}
