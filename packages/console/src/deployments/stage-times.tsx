import { Group, Text } from '@mantine/core'
import type { Decision, Deployment } from '@sluice/contract'
import { spansOf } from '@sluice/contract/stage-spans'
import DecisionList from '../decisions/decision-list.tsx'
import { duration, TimeOfDay, useNow } from '../ui/time.tsx'
import classes from './stage-times.module.css'

type Props = { deployment: Deployment; decisions: readonly Decision[] }

/** Shows the stages on a timeline with their durations and decisions. */
export const StageTimes = ({ deployment, decisions }: Props) => {
  const now = useNow()
  const spans = spansOf(deployment, decisions, now)
  const [first] = spans
  if (!first) return <DecisionList decisions={decisions} /> // the deployment never started
  const end = spans.at(-1)?.to ?? now
  const wholeMs = Math.max(1, end - first.from)
  return (
    <ol className={classes.stages}>
      {spans.map(({ name, from, to = now, pausedMs, decisions }) => (
        <li key={`${name} ${from}`}>
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <Text size="sm">{name}</Text>
            <Text size="sm" c="dimmed" ta="right">
              {duration(to - from)}
              {pausedMs >= 1_000 && `, paused ${duration(pausedMs)}`} · <TimeOfDay at={new Date(from).toISOString()} />
            </Text>
          </Group>
          <div className={classes.line} aria-hidden>
            <div
              className={classes.span}
              style={{
                marginLeft: `min(${(100 * (from - first.from)) / wholeMs}%, 100% - 3px)`,
                width: `${(100 * (to - from)) / wholeMs}%`,
              }}
            />
          </div>
          {decisions.length > 0 && (
            <div className={classes.decisions}>
              <DecisionList decisions={decisions} />
            </div>
          )}
        </li>
      ))}
    </ol>
  )
}
