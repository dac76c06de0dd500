import { Button, Group, TextInput } from '@mantine/core'
import type { DeploymentCheck } from '@sluice/contract'
import { releaseMarksOf } from '@sluice/contract/release-version'
import { useState } from 'react'
import { client } from '../api/client.ts'
import { errorOf } from '../ui/error-panel.tsx'
import { BulkDialog } from './bulk-dialog.tsx'
import { type BulkEntry, countOf, maxConcurrentOperations } from './bulk-entry.ts'
import { type DeployInput, versionInputs } from './plan-deployment.ts'
import { entriesOf, type ServiceSelection } from './plan-service-actions.ts'
import { runAll } from './run-all.ts'

type Props = { selection: ServiceSelection; onClose: () => void }

type Checked = { version: string; plans: ReadonlyMap<string, Pick<BulkEntry, 'text' | 'run'>> }

/** Deploys one version to several services. A check of each shows in advance what would happen. */
export const DeployVersion = ({ selection, onClose }: Props) => {
  const [version, setVersion] = useState('')
  const [checked, setChecked] = useState<Checked>()
  const [isChecking, setChecking] = useState(false)
  const wanted = version.trim()
  const isChecked = checked?.version === wanted
  const check = async () => {
    setChecking(true)
    const plans = new Map<string, Pick<BulkEntry, 'text' | 'run'>>()
    const places = entriesOf(selection, ({ place }) => ({ text: place.moduleInstanceId, run: async () => ({}) }))
    await runAll(
      places.filter(({ run }) => run !== undefined),
      ({ text: moduleInstanceId }) => planDeployment(selection, moduleInstanceId, wanted),
      {
        concurrency: maxConcurrentOperations,
        onStart: () => {},
        onResult: ({ id }, result) =>
          plans.set(id, 'value' in result ? result.value : { text: errorOf(result.error).message }),
      },
    )
    setChecked({ version: wanted, plans })
    setChecking(false)
  }
  const entries = entriesOf(selection, () => ({ text: 'Not checked yet.' })).map((entry) => ({
    ...entry,
    ...(isChecked ? checked.plans.get(entry.id) : {}),
  }))
  return (
    <BulkDialog
      title={`Deploy a version in ${selection.environment.name}`}
      entries={entries}
      confirmLabel={(count) => `Deploy to ${countOf(count)}`}
      missing={isChecked ? undefined : 'Check first what the version would do to each service.'}
      onClose={onClose}
      fields={
        <form
          onSubmit={(event) => {
            event.preventDefault()
            check()
          }}
        >
          <Group align="flex-end" gap="xs">
            <TextInput
              label="Version"
              description="Tag of the image to run. Each service keeps its image repository."
              placeholder="2.1.0"
              required
              maxLength={200}
              data-autofocus
              value={version}
              onChange={(event) => setVersion(event.currentTarget.value)}
              style={{ flex: 1 }}
            />
            <Button type="submit" variant="default" loading={isChecking} disabled={wanted === ''}>
              Check
            </Button>
          </Group>
        </form>
      }
    />
  )
}

/** Determines the inputs of a service, and checks the deployment without creating it. */
async function planDeployment(
  { services }: ServiceSelection,
  moduleInstanceId: string,
  version: string,
): Promise<Pick<BulkEntry, 'text' | 'run'>> {
  const place = services.flatMap(({ places }) => places).find((one) => one.moduleInstanceId === moduleInstanceId)
  const { data: instance } = await client.getModuleInstance({ params: { id: moduleInstanceId } })
  const { data: module } = await client.getModuleVersion({ params: { id: instance.moduleVersionId } })
  const runningId = place?.running?.deploymentId
  const running = runningId === undefined ? undefined : await client.getDeployment({ params: { id: runningId } })
  const { inputs: declared } = (module.config.deploy ?? {}) as { inputs?: DeployInput[] }
  const known = {
    inputs: module.config.deploy ? (declared ?? []) : undefined,
    marks: releaseMarksOf(running?.data.data),
  }
  const planned = versionInputs(known, version)
  if ('reason' in planned) return { text: planned.reason }
  const data = { moduleInstanceId, description: `Version ${version}`, inputs: planned.inputs }
  const { data: check } = await client.createDeploymentCheck({ body: { data } })
  const text = [Object.values(planned.inputs).join(', '), describeCheck(check)].join('. ')
  if (check.outcome === 'WILL_FAIL') return { text }
  return {
    text,
    run: async () => ({ deploymentId: (await client.createDeployment({ body: { data } })).data.id }),
  }
}

function describeCheck({ outcome, findings, gates, queue }: DeploymentCheck): string {
  const errors = findings.filter(({ severity }) => severity === 'ERROR').map(({ message }) => message)
  const reasons = [...errors, ...gates.map(({ message }) => message)]
  switch (outcome) {
    case 'CAN_SUCCEED':
      return 'Every check passed.'
    case 'UNKNOWN':
      return 'Nothing blocks it, but some checks could not be made.'
    case 'WILL_WAIT':
      return `It would wait: ${reasons.join(' ') || `${queue.length} deployments are queued before it.`}`
    case 'WILL_FAIL':
      return `It would fail: ${reasons.join(' ')}`
  }
}
