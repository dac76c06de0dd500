import { openCloud } from '@sluice/server/cloud/adapter/access'
import type { Config } from '@sluice/server/platform/config/settings'
import { type Finding, finding, ok, warning } from './finding.ts'

/** Checks the service's own cloud credentials, with which it assumes the roles of connected accounts. */
export async function examineCredentials({ roles, cloudEndpoint }: Config): Promise<Finding[]> {
  if (!roles.includes('api') && !roles.includes('worker')) return []
  return [await finding('cloud credentials', () => examineOwn(cloudEndpoint))]
}

async function examineOwn(endpoint: string | undefined) {
  const cloud = openCloud(endpoint === undefined ? {} : { endpoint })
  try {
    return ok(`of the account ${await cloud.ownAccount()}`)
  } catch (error) {
    return warning(`cloud accounts cannot be connected: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    cloud.close()
  }
}
