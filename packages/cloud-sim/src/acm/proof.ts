import { hash } from 'node:crypto'
import { regionAndAccountOf, type Scope } from '../arns.ts'

/**
 * Validation record of a name, which is the same for all certificates of an account and for the wildcard of the name.
 */
export interface ValidationRecord {
  name: string
  type: 'CNAME'
  value: string
}

export function validationRecordOf(scope: Scope, domainName: string): ValidationRecord {
  const domain = domainName.replace(/^\*\./, '')
  const digest = hash('sha256', `${regionAndAccountOf(scope).account} ${domain}`)
  const zone = digest
    .slice(-20)
    .replaceAll(/\d/g, (digit) => 'ghijklmnop'[Number(digit)] ?? digit)
    .slice(0, 10)
  return {
    name: `_${digest.slice(0, 32)}.${domain}.`,
    type: 'CNAME',
    value: `_${digest.slice(16, 48)}.${zone}.acm-validations.aws.`,
  }
}
