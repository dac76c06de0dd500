import { Alert, Code, List, Stack, Text } from '@mantine/core'
import type { PlanReview as Review } from '@sluice/contract'
import { reviewInWords, reviewLines, warningLine } from '@sluice/contract/plan-words'
import { IconAlertTriangle } from '@tabler/icons-react'

/** Warnings, moves and changed outputs of a plan; nothing for plans without any. */
export const PlanReview = ({ review }: { review: Review | undefined }) => {
  if (!review) return null
  const words = reviewInWords({ ...review, warningCount: 0 })
  const lines = reviewLines({ ...review, warnings: [], warningCount: 0 })
  return (
    <Stack gap="xs">
      <Warnings review={review} />
      {words !== '' && <Text size="sm">Also: {words}.</Text>}
      {lines.length > 0 && <Lines lines={lines} label="Moves and outputs" />}
    </Stack>
  )
}

const Warnings = ({ review: { warnings, warningCount } }: { review: Review }) => {
  if (warningCount === 0) return null
  const left = warningCount - warnings.length
  const lines = [...warnings.map(warningLine), ...(left > 0 ? [`and ${left} more in the log`] : [])]
  const title = warningCount === 1 ? 'This plan has a warning' : `This plan has ${warningCount} warnings`
  return (
    <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} title={title}>
      <Lines lines={lines} label="Warnings" />
    </Alert>
  )
}

const Lines = ({ lines, label }: { lines: string[]; label: string }) => (
  <List size="sm" aria-label={label} withPadding>
    {lines.map((line) => (
      <List.Item key={line}>
        <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{line}</Code>
      </List.Item>
    ))}
  </List>
)
