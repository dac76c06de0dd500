import type { SimControl } from '@sluice/cloud-sim'
import type { Deployment, DeploymentAnalysis } from '@sluice/contract'
import type { Client } from '../src/testing/client.ts'
import { blueGreen, pausing } from '../src/testing/strategies.ts'
import { stepsOf, type World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { createFunctionInstance } from './function-instance.ts'
import { openGateway } from './gateway.ts'
import { Random } from './random.ts'
import { quickMs, User } from './user.ts'

/**
 * Maximum time without a change, in milliseconds: a release reports nothing during the two minutes of its measurements.
 */
const maxStallMs = 300_000

/**
 * Returns an analysis that rolls the release `wrong` back after a whole minute without errors, which no one reports
 * here.
 */
const analysisOf = (release: string) => ({
  interval: 1,
  count: 2,
  failure_limit: 1,
  checks: [
    {
      name: 'errors',
      metric: { namespace: 'Shop', name: 'Errors', statistic: 'Sum', period: 60 },
      at_most: 5,
      no_data: `<< ${release} contains "wrong" ? "fail" : "continue" >>`,
      no_data_after: 0,
    },
  ],
})

const atOnce = { type: 'all_at_once' }
const functionBlock = { analysis: analysisOf('deploy.input.s3_key') }

async function settle(world: World) {
  const deploy = { analysis: analysisOf('deploy.input.image_ref') }
  const organization = await world.organization({ delivery: false, deploy })
  const functionPausing = (name: string, stage: string) => {
    const wish = { name, strategy: pausing(atOnce, [stage]), block: functionBlock }
    return createFunctionInstance(world, organization, wish)
  }
  return {
    client: organization.client,
    service: (await organization.service(pausing(blueGreen, ['POST_TEST_TRAFFIC_SHIFT']))).moduleInstanceId,
    functionBefore: await functionPausing('before', 'PRE_PRODUCTION_TRAFFIC_SHIFT'),
    functionAfter: await functionPausing('after', 'POST_PRODUCTION_TRAFFIC_SHIFT'),
  }
}

/** Time of death: before the cloud receives an operation, or before the service receives its response. */
type Moment = { at: 'sent' | 'done'; operation: RegExp }

export const measurement = /GetMetricData/

/** Starts a service that dies at each of the moments in `deadly`, one after another. */
export async function startCrashingService() {
  const deadly: Moment[] = []
  let answered = 0
  const dies = (at: Moment['at'], operation: string): boolean => {
    if (deadly[0]?.at !== at || !deadly[0].operation.test(operation)) return false
    deadly.shift()
    service.killAndRestart()
    return true
  }
  const { service, cloud, people } = await startCrashWorld({
    speed: 60, // measurements start after a minute of the service's clock, and no pause may end before that
    people: settle,
    gateway: (cloudUrl) =>
      openGateway(cloudUrl, {
        sent: (operation) => !dies('sent', operation),
        done(operation) {
          if (!dies('done', operation) && measurement.test(operation)) answered += 1
        },
      }),
  })
  const user = new User(people.client, new Random(1), quickMs, maxStallMs)
  return { service, cloud, people, user, deadly, answeredMeasurements: () => answered }
}

export const requestsOf = async (cloud: SimControl, operation: string): Promise<unknown[]> =>
  (await cloud.calls({ operation, accepted: true, limit: 1_000_000 })).map(({ request }) => request)

export async function analysisOfRelease({ client }: { client: Client }, { id }: Deployment) {
  const { body } = await client.ask('GET', `/deployments/${id}?include=analysis`)
  return (body as { included: { analysis: DeploymentAnalysis[] } }).included.analysis[0]
}

/** Result of a good release. A measurement without a timely response, on a busy machine, is no result. */
export const successfulAnalysis = { action: 'CONTINUE', outcome: 'SUCCESSFUL', checks: [{ successful: 2, failed: 0 }] }
export const failedAnalysis = { action: 'ROLLBACK', outcome: 'FAILED', checks: [{ successful: 0, failed: 2 }] }

export const rolledBackByAnalysis = {
  status: 'ROLLED_BACK',
  error: { code: 'Sluice:Deployments:ANALYSIS_FAILED' },
}

export const decisions = (deployment: Deployment) => stepsOf(deployment).filter((step) => step === 'ANALYSIS')
