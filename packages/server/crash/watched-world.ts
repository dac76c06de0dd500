import { blueGreen, canary, pausingBeforeShifts } from '../src/testing/strategies.ts'
import type { OrganizationOptions, TestOrganization, World } from '../src/testing/world.ts'
import type { Watcher } from './gateway.ts'
import { createAccountUsers, startObservedEnvironment } from './parties.ts'

/** Starts a fast environment with this number of fast users, whose calls to the cloud are observed. */
export const startWatched = (watcher: Watcher, count: number, wishes: OrganizationOptions = {}) =>
  startObservedEnvironment(watcher, createAccountUsers(count, settle, wishes))

async function settle(_world: World, organization: TestOrganization) {
  const instances = {
    canary: (await organization.service(pausingBeforeShifts(canary))).moduleInstanceId,
    rolling: (await organization.service(null)).moduleInstanceId,
    blueGreen: (await organization.service(blueGreen)).moduleInstanceId,
  }
  return { instances }
}
