import { Group, Text } from '@mantine/core'
import type { PlanCost as Cost } from '@sluice/contract'
import { costInWords } from '@sluice/contract/cost-words'
import { IconCoins } from '../ui/icons.tsx'

/** Shows the monthly cost of a plan; nothing without a price list. */
export const PlanCost = ({ cost }: { cost: Cost | undefined }) =>
  cost && (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <IconCoins size={16} aria-hidden style={{ flexShrink: 0, marginTop: 2 }} />
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {costInWords(cost)}
      </Text>
    </Group>
  )
