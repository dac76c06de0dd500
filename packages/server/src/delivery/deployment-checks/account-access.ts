import type { Cloud, CloudAccount } from '../../cloud/adapter/access.ts'
import { readFact } from './facts.ts'
import { type CheckResult, checkFact } from './findings.ts'

/** Checks that Sluice can assume the connected role in the region of the release. */
export async function checkAccess(cloud: Cloud, account: CloudAccount, region: string): Promise<CheckResult> {
  const { roleArn } = account
  const fact = await readFact('sts:AssumeRole', () => cloud.checkConnection(account, [region]))
  return checkFact({ code: 'ACCOUNT_ACCESS_DENIED', subject: `the role ${roleArn}` }, fact, (access) =>
    access.verdict === 'open'
      ? []
      : [
          {
            severity: 'ERROR',
            code: 'ACCOUNT_ACCESS_DENIED',
            message: `Sluice cannot assume the role ${roleArn}. The cloud answered: ${access.message}`,
            remedy: 'Correct the trust policy and the external ID of the role, or enable the region in the account.',
          },
        ],
  )
}
