import { harmless } from '@sluice/calls/harmless'
import { releaseBefore } from '@sluice/calls/release-before'
import type { Client } from '@sluice/client'
import type { DeploymentData, DeploymentSource } from '@sluice/contract'
import { previousRecordOf, releaseRecordOf } from '@sluice/contract/release-record'
import { previousMarksOf, releaseMarksOf, versionOf } from '@sluice/contract/release-version'
import { differencesBetween } from '@sluice/server/interface/project-files/difference'
import { differenceLines } from '@sluice/server/interface/project-files/print-plan'
import { connect, type Where } from './connect.ts'
import type { Style } from './output.ts'
import { printList } from './print.ts'

/** What is compared of a release. */
type Release = { version?: string | undefined; source?: DeploymentSource | undefined; release: Record<string, unknown> }

/** Shows what a deployment releases otherwise than another one did or, without another, than what ran before it. */
export async function diff(id: string, other: string | undefined, wishes: Where & Style): Promise<void> {
  const client = connect(wishes)
  const { data: deployment, source } = await found(client, id)
  const before = other === undefined ? await replacedBy(client, deployment) : await named(client, other)
  const differences = differencesBetween(before.release, releaseIn(deployment.data, source), '').map((one) => ({
    ...one,
    path: one.path.replace(/^\./, ''),
  }))
  if (wishes.output !== undefined) {
    const whole = { deploymentId: id, against: before.id, differences }
    const columns = ['path', 'before', 'after']
    return printList(differences, wishes, { whole, columns, none: same, nameOf: ({ path }) => path })
  }
  const lines = [
    `${id} against ${before.id ?? 'what ran before it'}`,
    ...differences.flatMap((one) => differenceLines(one)),
  ]
  process.stdout.write(`${harmless([...lines, ...(differences.length === 0 ? [same] : [])].join('\n'))}\n`)
}

const same = 'Nothing differs of what is recorded.'

async function found(client: Client, id: string) {
  const { data, included } = await client.getDeployment({ params: { id }, query: { include: ['source'] } })
  return { data, source: included?.source }
}

const releaseIn = (data: DeploymentData | undefined, source: DeploymentSource | undefined): Release => ({
  version: versionOf(releaseMarksOf(data)),
  source: commitIn(source),
  release: releaseRecordOf(data),
})

/** Images and objects are in the release itself, in whatever form they have there. */
function commitIn({ image: _, object: __, ...source }: DeploymentSource = {}): DeploymentSource | undefined {
  return Object.keys(source).length === 0 ? undefined : source
}

type Before = { id?: string; release: Release }

async function named(client: Client, id: string): Promise<Before> {
  const { data, source } = await found(client, id)
  return { id, release: releaseIn(data.data, source) }
}

/** What a deployment replaced, as it recorded it; the success before it is that where its version is the same. */
async function replacedBy(client: Client, deployment: Awaited<ReturnType<typeof found>>['data']): Promise<Before> {
  const version = versionOf(previousMarksOf(deployment.data))
  const release = previousRecordOf(deployment.data)
  const before = await releaseBefore(client, deployment)
  const known = releaseIn(before?.deployment.data, before?.source)
  if (before && (version === undefined || version === known.version))
    return { id: before.deployment.id, release: { ...known, ...(release && { release }) } }
  return { release: { version, release: release ?? previousMarksOf(deployment.data) } }
}
