import { Alert, List, Stack, Text } from '@mantine/core'
import type { PlanReview as Review } from '@sluice/contract'
import { reviewInWords, reviewLines, warningLine } from '@sluice/contract/plan-words'
import { IconAlertTriangle } from '../ui/icons.tsx'

type Props = {
  review: Review | undefined
  /** Maximum number of warnings, moves and outputs listed; all by default. */
  maxLines?: number
}

/** Shows warnings, moves and changed outputs of a plan; nothing if there are none. */
export const PlanReview = ({ review, maxLines = Number.POSITIVE_INFINITY }: Props) => {
  if (!review) return null
  const words = reviewInWords({ ...review, warningCount: 0 })
  const lines = reviewLines({ ...review, warnings: [], warningCount: 0 })
  return (
    <Stack gap="xs">
      <Warnings review={review} maxLines={maxLines} />
      {words !== '' && <Text size="sm">Also: {words}.</Text>}
      {lines.length > 0 && <Lines lines={lines} label="Moves and outputs" maxLines={maxLines} />}
    </Stack>
  )
}

const Warnings = ({ review: { warnings, warningCount }, maxLines }: { review: Review; maxLines: number }) => {
  if (warningCount === 0) return null
  const left = warningCount - warnings.length
  const lines = [...warnings.map(warningLine), ...(left > 0 ? [`and ${left} more in the log`] : [])]
  const title = warningCount === 1 ? 'This plan has a warning' : `This plan has ${warningCount} warnings`
  return (
    <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} title={title}>
      <Lines lines={lines} label="Warnings" maxLines={maxLines} />
    </Alert>
  )
}

const Lines = ({ lines, label, maxLines }: { lines: string[]; label: string; maxLines: number }) => {
  const left = lines.length - maxLines
  return (
    <List size="sm" aria-label={label} withPadding>
      {lines.slice(0, maxLines).map((line) => (
        <List.Item key={line}>
          <Text
            size="sm"
            ff="monospace"
            {...(Number.isFinite(maxLines) && { lineClamp: 3 })}
            style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}
          >
            {line}
          </Text>
        </List.Item>
      ))}
      {left > 0 && <List.Item>and {left} more in the plan</List.Item>}
    </List>
  )
}
