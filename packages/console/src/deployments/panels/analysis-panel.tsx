import { Stack, Text } from '@mantine/core'
import type { DeploymentAnalysis } from '@sluice/contract'
import { Facts } from '../../ui/facts.tsx'
import { Section } from '../../ui/section.tsx'
import { TimeOfDay } from '../../ui/time.tsx'

const outcomes = {
  RUNNING: 'in progress',
  SUCCESSFUL: 'passed',
  FAILED: 'failed',
  INCONCLUSIVE: 'inconclusive',
} as const
const actions = {
  CONTINUE: 'the release continued',
  HOLD: 'waits for a decision',
  ROLLBACK: 'the release was rolled back',
} as const

/** Shows the automated checks of the new version, newest first. */
export const AnalysisPanel = ({ analyses }: { analyses: readonly DeploymentAnalysis[] }) => (
  <Section title="Checks">
    <Stack gap="md">
      {analyses.toReversed().map(({ startedAt, outcome, action, checks }) => (
        <div key={startedAt}>
          <Text size="sm" fw={600} mb={4}>
            <TimeOfDay at={startedAt} />: {outcomes[outcome]}
            {action && `, ${actions[action]}`}
          </Text>
          <Facts
            facts={Object.fromEntries(
              checks.map(({ name, outcome, successful, failed, message }) => [
                name,
                `${outcomes[outcome]}: ${successful} passed, ${failed} failed${message ? `. ${message}` : ''}`,
              ]),
            )}
          />
        </div>
      ))}
    </Stack>
  </Section>
)
