import { NavLink, Paper, Text } from '@mantine/core'
import type { PipelineStepExecution } from '@sluice/contract'
import { statusStyles } from '../ui/status-badge.tsx'
import { Elapsed } from '../ui/time.tsx'

type Props = {
  steps: readonly PipelineStepExecution[]
  chosen: string
  onChoose: (stepId: string) => void
}

/** Lists the steps in configuration order, as an alternative to the graph. */
export const StepList = ({ steps, chosen, onChoose }: Props) => (
  <Paper component="nav" withBorder p={4} aria-label="Steps">
    {steps.map(({ stepId, stepName, status, startedAt, completedAt }) => {
      const { label, color, Icon } = statusStyles[status]
      return (
        <NavLink
          key={stepId}
          component="button"
          type="button"
          active={stepId === chosen}
          aria-current={stepId === chosen ? 'step' : undefined}
          onClick={() => onChoose(stepId)}
          leftSection={<Icon size={18} aria-hidden color={`var(--mantine-color-${color}-filled)`} />}
          label={stepName}
          description={
            <>
              {label}
              {startedAt && (
                <>
                  {' · '}
                  <Elapsed from={startedAt} to={completedAt} />
                </>
              )}
            </>
          }
        />
      )
    })}
    {steps.length > 15 && (
      <Text size="xs" c="dimmed" ta="center" py={4}>
        {steps.length} steps
      </Text>
    )}
  </Paper>
)
