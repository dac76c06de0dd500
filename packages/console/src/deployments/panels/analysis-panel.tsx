import { Stack, Text } from '@mantine/core'
import type { DeploymentAnalysis } from '@sluice/contract'
import { Facts } from '../../ui/facts.tsx'
import { Section } from '../../ui/section.tsx'
import { TimeOfDay } from '../../ui/time.tsx'

const outcomes = {
  RUNNING: 'under way',
  SUCCESSFUL: 'good',
  FAILED: 'failed',
  INCONCLUSIVE: 'could not tell',
} as const
const actions = {
  CONTINUE: 'the release went on',
  HOLD: 'a person decides',
  ROLLBACK: 'the release was rolled back',
} as const

/** What was checked of the new version by itself, the latest first. */
export const AnalysisPanel = ({ analyses }: { analyses: readonly DeploymentAnalysis[] }) => (
  <Section title="Checks of the new version">
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
                `${outcomes[outcome]}: ${successful} good, ${failed} failed${message ? `. ${message}` : ''}`,
              ]),
            )}
          />
        </div>
      ))}
    </Stack>
  </Section>
)
