import type { Release } from '../deployments/types/release.ts'
import type { CheckedAccount } from './checked-account.ts'
import { checkGroup } from './ec2/check-group.ts'
import { checkService } from './ecs/check-service.ts'
import type { CheckResult } from './findings.ts'
import { checkFunction } from './lambda/check-function.ts'
import { checkSite } from './static/check-site.ts'

/** Checks a release against its cloud account, which is only read. */
export function checkInCloud(account: CheckedAccount, release: Release): Promise<CheckResult> {
  switch (release.type) {
    case 'cloud:ecs':
      return checkService(account, release)
    case 'cloud:lambda':
      return checkFunction(account, release)
    case 'cloud:static':
      return checkSite(account, release)
    case 'cloud:ec2':
      return checkGroup(account, release)
  }
}
