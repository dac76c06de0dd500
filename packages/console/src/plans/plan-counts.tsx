import { Badge, Group, UnstyledButton } from '@mantine/core'
import type { IacChangeType, IacPlan } from '@sluice/contract'
import { changeTypeStyle, typesInOrder } from './change-types.ts'

type Props = {
  counts: IacPlan['changeCounts']
  chosen: ReadonlySet<IacChangeType>
  onToggle: (type: IacChangeType) => void
}

/** Shows the number of changes by type. Each count is also a filter. */
export const PlanCounts = ({ counts, chosen, onToggle }: Props) => (
  <Group gap="xs" role="group" aria-label="Types of change">
    {typesInOrder
      .filter((type) => (counts[type] ?? 0) > 0)
      .map((type) => {
        const { label, color, Icon } = changeTypeStyle(type)
        return (
          <UnstyledButton key={type} aria-pressed={chosen.has(type)} onClick={() => onToggle(type)}>
            <Badge
              color={color}
              variant={chosen.has(type) ? 'filled' : 'light'}
              size="lg"
              tt="none"
              leftSection={<Icon size={14} aria-hidden />}
              style={{ cursor: 'pointer' }}
            >
              {label} {counts[type]}
            </Badge>
          </UnstyledButton>
        )
      })}
  </Group>
)
