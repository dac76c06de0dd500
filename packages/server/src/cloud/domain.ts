import { appPart, type Domain, extensionPoint, operationParts, type Platform, part } from '../platform/domain.ts'
import { workIds } from '../platform/log/work.ts'
import { present } from '../platform/present.ts'
import { noteSpan } from '../platform/traces/present.ts'
import { openAccountResources } from './account-resources/resources.ts'
import { serveAccountResources } from './account-resources/routes.ts'
import { openCloud } from './adapter/access.ts'
import { type CalledPlace, type ObservedCall, spanOfCall } from './adapter/observe.ts'
import { certificateObject, overdueCertificates } from './certificates/handlers.ts'
import { serveCertificates } from './certificates/routes.ts'
import { certificates } from './certificates/tables.ts'
import { type RegionsOf, startChecks } from './cloud-accounts/checks.ts'
import { serveCloudAccounts } from './cloud-accounts/routes.ts'
import { addressForTasks } from './execution-environments/address-for-tasks.ts'
import { serveExecutionEnvironments } from './execution-environments/routes.ts'
import { deleteOldRunnerTools } from './execution-environments/runner-tools.ts'
import { clocksFor } from './observations/clocks.ts'
import { cloudRecords } from './records.ts'

export const cloudAccountRegions = extensionPoint<RegionsOf>('regions of a cloud account')

export const cloudOf = part((platform) => {
  const { config, logs, closeAfterEngine } = platform
  const onCall = (call: ObservedCall, place: CalledPlace) => observe(platform, call, place)
  const cloud = openCloud(present({ endpoint: config.cloudEndpoint, log: logs.cloud, onCall }))
  closeAfterEngine(() => cloud.close())
  return cloud
})

/** Returns the settings of runners that are tasks in the cloud. */
export const runnerTaskSettings = ({ config }: Platform) => ({
  runnerImage: config.runnerImage,
  runnerUrl: addressForTasks(config),
})

/**
 * Opens the one reader of account resources that all operations share, because it rate-limits the calls per account.
 */
export const accountResourcesOf = appPart((app, platform) =>
  openAccountResources(cloudOf(platform), clocksFor(app, platform.clock.now)),
)

/** Returns how often the cloud is polled. That is set in real time, because each poll costs a call. */
export const pollPaceOf = ({ config, clock }: Platform) => ({
  minMs: clock.elapsedMs(config.pollMinMs),
  maxMs: clock.elapsedMs(config.pollMaxMs),
  pausedMaxMs: clock.elapsedMs(config.pausedPollMaxMs),
})

export const cloud: Domain = {
  records: cloudRecords,
  serve(app, platform) {
    const parts = {
      ...operationParts(platform),
      ...runnerTaskSettings(platform),
      cloud: cloudOf(platform),
      accountOffers: accountResourcesOf(app, platform),
      connectTemplateUrl: platform.config.connectTemplateUrl,
      regionsOfCloudAccount: cloudAccountRegions.one(platform),
    }
    serveCloudAccounts(app, parts)
    serveAccountResources(app, parts)
    serveCertificates(app, parts)
    serveExecutionEnvironments(app, parts)
  },
  work(platform, { own }) {
    const { database, log } = platform
    const { db, ofOrganization } = database
    const clock = platform.clock.now
    const cloud = cloudOf(platform)
    const regionsOfCloudAccount = cloudAccountRegions.one(platform)
    return {
      objects: [certificateObject(own.workOn(certificates, { cloud, pace: pollPaceOf(platform), clock }))],
      overdue: [overdueCertificates],
      tasks: [() => startChecks({ db, ofOrganization, cloud, clock, log, regionsOfCloudAccount })],
    }
  },
  forget: () => [deleteOldRunnerTools],
}

function observe({ spans, metrics, logs }: Platform, call: ObservedCall, place: CalledPlace): void {
  const { seconds, ...labels } = call
  if (spans) noteSpan(spanOfCall(call, place))
  metrics.cloudCalls.observe(labels, seconds)
  logs.cloud.debug({ ...workIds(), ...labels, ...place, tookMs: Math.round(seconds * 1_000) }, 'the cloud was called')
}
