import { Button, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ModuleInstance, ModuleInstanceLogLine } from '@sluice/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { client } from '../api/client.ts'
import { queryKeyOf, useOperation } from '../api/use-operation.ts'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { IconSearch } from '../ui/icons.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { TimeOfDay } from '../ui/time.tsx'
import classes from './logs-panel.module.css'
import { isTaskStream, streamWriter } from './stream-writer.ts'
import { useLogTail } from './use-log-tail.ts'

/** Shows an instance's log: the last hour, older lines on demand, and new lines live. */
export const LogsPanel = ({ instance: { id, ui } }: { instance: ModuleInstance }) => {
  const sources = ui?.logs ?? []
  const [sourceId, setSourceId] = useState(sources[0]?.id ?? '')
  const [isFollowed, setFollowed] = useState(true)
  const [entered, setEntered] = useState('')
  const [filter] = useDebouncedValue(entered.trim(), 400)
  const query = { sourceId, limit: 100, ...(filter !== '' && { filter }) }
  const past = useInfiniteQuery({
    queryKey: [...queryKeyOf('getModuleInstanceLogs', { params: { id }, query }), 'pages'],
    queryFn: ({ pageParam, signal }) =>
      client.getModuleInstanceLogs(
        { params: { id }, query: { ...query, ...(pageParam !== '' && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ meta }) => meta.nextCursor || undefined,
    enabled: sourceId !== '',
  })
  const { lines, error } = useLogTail({ id, sourceId, filter }, isFollowed && sourceId !== '')
  const shown = inOrder([...(past.data?.pages.flatMap(({ data }) => data) ?? []), ...lines])
  const versions = useVersions(id, shown)
  return (
    <Section
      title="Logs"
      aside={
        <Switch label="Follow" checked={isFollowed} onChange={(event) => setFollowed(event.currentTarget.checked)} />
      }
    >
      <Stack gap="sm">
        <Group gap="sm">
          {sources.length > 1 && (
            <Select
              aria-label="Log source"
              data={sources.map(({ id, name }) => ({ value: id, label: name }))}
              value={sourceId}
              allowDeselect={false}
              onChange={(chosen) => setSourceId(chosen ?? '')}
            />
          )}
          <TextInput
            aria-label="Filter lines"
            placeholder="CloudWatch filter pattern: ?ERROR ?WARN"
            leftSection={<IconSearch size={16} aria-hidden />}
            value={entered}
            onChange={(event) => setEntered(event.currentTarget.value)}
            flex={1}
            miw={200}
          />
        </Group>
        {past.error && <ErrorPanel error={errorOf(past.error)} />}
        {error && <ErrorPanel error={error} />}
        {past.data && shown.length === 0 ? (
          <Notice title="No log lines in the last hour">
            {isFollowed ? 'New lines appear here automatically.' : 'Follow the log to see new lines.'}
          </Notice>
        ) : (
          <Lines lines={shown} versions={versions} isFollowed={isFollowed} />
        )}
        {past.hasNextPage && (
          <Group>
            <Button
              variant="default"
              size="compact-sm"
              loading={past.isFetchingNextPage}
              onClick={() => past.fetchNextPage()}
            >
              Load older lines
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  )
}

/** Sorts lines by time and drops duplicates, because a line can come from both a page and the stream. */
function inOrder(lines: readonly ModuleInstanceLogLine[]): ModuleInstanceLogLine[] {
  const once = new Map(lines.map((line) => [line.id, line]))
  return [...once.values()].sort((a, b) => a.timestamp.localeCompare(b.timestamp))
}

/** Refetch interval for tasks while the log is open. Milliseconds. */
const tasksMs = 30_000

/** Returns the versions of the tasks in the log by ID, if they are running or stopped within the last hour. */
function useVersions(id: string, lines: readonly ModuleInstanceLogLine[]): ReadonlyMap<string, string> {
  const enabled = lines.some(({ logStream }) => isTaskStream(logStream))
  const tasks = useOperation('listModuleInstanceTasks', { params: { id } }, { enabled, refetchInterval: tasksMs })
  return new Map(tasks.data?.data.flatMap(({ id, version }) => (version === undefined ? [] : [[id, version] as const])))
}

type LinesProps = {
  lines: readonly ModuleInstanceLogLine[]
  versions: ReadonlyMap<string, string>
  isFollowed: boolean
}

const Lines = ({ lines, versions, isFollowed }: LinesProps) => {
  const box = useRef<HTMLDivElement>(null)
  const last = lines.at(-1)?.id
  useEffect(() => {
    if (isFollowed && last !== undefined) box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [isFollowed, last])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div ref={box} className={classes.lines} role="log" aria-label="Log lines" aria-live="off" tabIndex={0}>
      {lines.map(({ id, timestamp, message, logStream }) => (
        <div key={id} className={classes.line} title={logStream}>
          <Text component="span" inherit c="dimmed">
            <TimeOfDay at={timestamp} /> {streamWriter(logStream, versions)}
          </Text>
          <span>{message}</span>
        </div>
      ))}
    </div>
  )
}
