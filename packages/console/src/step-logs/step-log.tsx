import { Box, Button, Group, Switch, Text } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import { IconArrowBarToDown } from '../ui/icons.tsx'
import { AnsiText } from './ansi-text.tsx'
import { LogSearch } from './log-search.tsx'
import { findLines } from './log-text.ts'
import classes from './step-log.module.css'
import { useLog } from './use-log.ts'

/** Line height as in the style sheet. Pixels. */
const lineHeight = 20

/** Shows the log of a step live. Virtualized, because there can be a hundred thousand lines. */
export default function StepLog({ stepExecutionId }: { stepExecutionId: string }) {
  const { lines, status, again } = useLog(stepExecutionId)
  const [isFollowing, setFollowing] = useState(true)
  const [wanted, setWanted] = useState('')
  const [turn, setTurn] = useState(0)
  const container = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => container.current,
    estimateSize: () => lineHeight,
    overscan: 30,
  })
  const found = useMemo(() => findLines(lines, wanted), [lines, wanted])
  const current = found[turn % Math.max(1, found.length)]
  const toEnd = () => virtual.scrollToIndex(lines.length - 1, { align: 'end' })

  useEffect(() => {
    if (isFollowing && lines.length > 0) toEnd()
  }, [lines.length, isFollowing])
  useEffect(() => {
    if (current === undefined) return
    setFollowing(false)
    virtual.scrollToIndex(current, { align: 'center' })
  }, [current])

  /** Scrolling up stops following; scrolling to the end resumes it. */
  const onScroll = () => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = container.current ?? {}
    setFollowing(scrollHeight - scrollTop - clientHeight < 2 * lineHeight)
  }
  const search = (text: string) => {
    setWanted(text)
    setTurn(0)
  }
  return (
    <div>
      <Group justify="space-between" mb="xs" gap="xs">
        <LogSearch
          wanted={wanted}
          found={found.length}
          turn={turn % Math.max(1, found.length)}
          onSearch={search}
          onTurn={(by) => setTurn((turn + by + found.length) % Math.max(1, found.length))}
        />
        <Group gap="sm">
          {status !== 'over' && (
            <Switch
              label="Follow"
              checked={isFollowing}
              onChange={({ currentTarget }) => setFollowing(currentTarget.checked)}
            />
          )}
          <Button
            variant="default"
            size="xs"
            leftSection={<IconArrowBarToDown size={16} aria-hidden />}
            onClick={toEnd}
          >
            Jump to end
          </Button>
        </Group>
      </Group>
      <Box
        ref={container}
        className={classes.log}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Log"
        onWheel={onScroll}
        onTouchMove={onScroll}
        onKeyUp={onScroll}
      >
        <div className={classes.lines} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const line = lines[index]
            return (
              line && (
                <div
                  key={index}
                  className={classes.line}
                  style={{ transform: `translateY(${start}px)` }}
                  data-current={index === current}
                >
                  <span className={classes.number} aria-hidden>
                    {index + 1}
                  </span>
                  <AnsiText text={line.text} />
                </div>
              )
            )
          })}
        </div>
      </Box>
      <Group justify="space-between" mt={4}>
        <Text size="xs" c="dimmed">
          {lines.length.toLocaleString('en')} lines · {statusLabels[status]}
        </Text>
        {status === 'lost' && (
          <Button size="compact-xs" variant="subtle" onClick={again}>
            Try again
          </Button>
        )}
      </Group>
    </div>
  )
}

const statusLabels = {
  connecting: 'connecting',
  following: 'following new lines',
  over: 'complete',
  lost: 'log unavailable',
} as const
