import { DescribeServiceDeploymentsCommand, type ECSClient, type ServiceDeployment } from '@aws-sdk/client-ecs'
import { CloudPermanentError, callCloud } from '../cloud-call.ts'

/** Service deployment, or the reason why the cloud did not return it. */
type Shown = { found: ServiceDeployment } | { missing: string }

type Asker = { arn: string; tell: (shown: Shown) => void; fail: (error: unknown) => void }

/** Maximum number of service deployments per call ("DescribeServiceDeployments" in the API reference, read 2026-11). */
const maxBatchSize = 20

/** Time that the first read waits for others to share its call, in milliseconds. */
const gatherMs = 5

/** Reads waiting for the next call, by client, and so by account and region. */
const gathering = new WeakMap<ECSClient, Asker[]>()

/** Describes a service deployment. Concurrent reads through the same client share one call. */
export function describeServiceDeployment(ecs: ECSClient, arn: string): Promise<Shown> {
  return new Promise((tell, fail) => {
    const others = gathering.get(ecs) ?? []
    others.push({ arn, tell, fail })
    if (others.length === maxBatchSize) send(ecs, others)
    if (others.length > 1) return
    gathering.set(ecs, others)
    setTimeout(() => send(ecs, others), gatherMs)
  })
}

function send(ecs: ECSClient, askers: Asker[]): void {
  if (gathering.get(ecs) !== askers) return // the batch was full and already sent
  gathering.delete(ecs)
  void describe(ecs, askers)
}

/** Describes a batch. If the cloud rejects it, describes each one separately, because a single one may be the cause. */
async function describe(ecs: ECSClient, askers: Asker[]): Promise<void> {
  try {
    const serviceDeploymentArns = [...new Set(askers.map(({ arn }) => arn))]
    const command = new DescribeServiceDeploymentsCommand({ serviceDeploymentArns })
    const { serviceDeployments = [], failures = [] } = await callCloud(() => ecs.send(command))
    const found = new Map(serviceDeployments.map((one) => [one.serviceDeploymentArn, one]))
    const reasons = new Map(failures.map(({ arn, reason }) => [arn, reason]))
    for (const { arn, tell } of askers) {
      const one = found.get(arn)
      tell(one ? { found: one } : { missing: reasons.get(arn) ?? 'MISSING' })
    }
  } catch (error) {
    if (error instanceof CloudPermanentError && askers.length > 1) for (const one of askers) void describe(ecs, [one])
    else for (const { fail } of askers) fail(error)
  }
}
