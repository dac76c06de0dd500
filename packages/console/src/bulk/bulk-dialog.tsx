import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { queryKeyOf } from '../api/use-operation.ts'
import { errorOf } from '../ui/error-panel.tsx'
import { IconAlertCircle, IconBan, IconCheck, IconClock, IconLoader2 } from '../ui/icons.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { InReadersTime } from '../ui/time.tsx'
import classes from './bulk-dialog.module.css'
import { type BulkEntry, maxConcurrentOperations } from './bulk-entry.ts'
import { type Result, runAll } from './run-all.ts'

type Props = {
  title: string
  entries: readonly BulkEntry[]
  /** Label of the button, such as `Promote 3 services`. */
  confirmLabel: (count: number) => string
  color?: string
  /** Fields above the list. */
  fields?: ReactNode
  /** What must be done before the action can be confirmed. */
  missing?: string | undefined
  onClose: () => void
}

type Progress = 'RUNNING' | Result<{ deploymentId?: string }>

/** Operations whose answers can change with a bulk action. */
const affected = ['listServices', 'listDeployments', 'getDeploymentRecords', 'listHolds', 'listServiceStates'] as const

/** Lists what an action does to each record, runs it after one confirmation, and shows each result. */
export const BulkDialog = ({ title, entries, confirmLabel, color, fields, missing, onClose }: Props) => {
  const [begun, setBegun] = useState<readonly BulkEntry[]>()
  const [progress, setProgress] = useState<ReadonlyMap<string, Progress>>(new Map())
  const shown = begun ?? entries // live updates no longer change what was confirmed
  const possible = shown.filter(({ run }) => run !== undefined)
  const note = (id: string, state: Progress) => setProgress((before) => new Map(before).set(id, state))
  const start = async () => {
    setBegun(entries)
    await runAll(possible, async ({ run }) => (await run?.()) ?? {}, {
      concurrency: maxConcurrentOperations,
      onStart: ({ id }) => note(id, 'RUNNING'),
      onResult: ({ id }, result) => note(id, result),
    })
    for (const operation of affected) queryClient.invalidateQueries({ queryKey: queryKeyOf(operation) })
  }
  const results = [...progress.values()].filter((one) => one !== 'RUNNING')
  const failedCount = results.filter((one) => 'error' in one).length
  const isRunning = begun !== undefined && results.length < possible.length
  return (
    <Modal opened onClose={onClose} title={title} size="lg" closeOnClickOutside={!isRunning}>
      <Stack gap="sm">
        {begun === undefined && fields}
        <ul className={classes.entries} aria-label="What happens to each">
          {shown.map((entry) => (
            <Entry key={entry.id} entry={entry} progress={progress.get(entry.id)} hasBegun={begun !== undefined} />
          ))}
        </ul>
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" c="dimmed" role="status">
            {begun === undefined
              ? (missing ?? summaryOf(possible.length, shown.length))
              : `${results.length - failedCount} of ${possible.length} done${failedCount > 0 ? `, ${failedCount} failed` : ''}`}
          </Text>
          <Group gap="xs" wrap="nowrap">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            {possible.length > 0 && (begun === undefined || isRunning) && (
              <Button
                {...(color !== undefined && { color })}
                loading={isRunning}
                disabled={missing !== undefined}
                aria-description={missing}
                onClick={start}
              >
                {confirmLabel(possible.length)}
              </Button>
            )}
          </Group>
        </Group>
      </Stack>
    </Modal>
  )
}

const summaryOf = (possible: number, all: number): string =>
  possible === all ? `All ${all} are possible` : `${possible} of ${all} are possible`

type EntryProps = { entry: BulkEntry; progress: Progress | undefined; hasBegun: boolean }

const Entry = ({ entry: { name, text, run }, progress, hasBegun }: EntryProps) => {
  const { Icon, label, state } = styleOf(run !== undefined, progress, hasBegun)
  const result = progress === 'RUNNING' ? undefined : progress
  const message = result && 'error' in result ? errorOf(result.error).message : text
  const deploymentId = result && 'value' in result ? result.value.deploymentId : undefined
  return (
    <li className={classes.entry} data-state={state}>
      <Icon size={16} role="img" aria-label={label} className={classes.icon} />
      <div>
        <Text size="sm" fw={600} span>
          {name}
        </Text>
        <Text size="sm" {...(!run && { c: 'dimmed' })} style={{ overflowWrap: 'anywhere' }}>
          <InReadersTime sentence={message} />
        </Text>
      </div>
      {deploymentId && (
        <TextLink
          to="/console/deployments/$id"
          params={{ id: deploymentId }}
          size="sm"
          aria-label={`View deployment of ${name}`}
        >
          View deployment
        </TextLink>
      )}
    </li>
  )
}

function styleOf(isPossible: boolean, progress: Progress | undefined, hasBegun: boolean) {
  if (!isPossible) return { Icon: IconBan, label: 'Not possible', state: 'skipped' }
  if (progress === undefined)
    return hasBegun
      ? { Icon: IconClock, label: 'Waiting', state: 'waiting' }
      : { Icon: IconCheck, label: 'Possible', state: 'ready' }
  if (progress === 'RUNNING') return { Icon: IconLoader2, label: 'In progress', state: 'running' }
  return 'error' in progress
    ? { Icon: IconAlertCircle, label: 'Failed', state: 'failed' }
    : { Icon: IconCheck, label: 'Done', state: 'done' }
}
