import { Badge, Group, Stack, Text } from '@mantine/core'
import type { PolicyVerdict } from '@sluice/contract'
import { outcomeOf } from '../policies/words.ts'
import { Rows } from '../ui/rows.tsx'
import { Section } from '../ui/section.tsx'

/** What policies have against a release, and who let it past which; nothing where they have nothing. */
export const PolicyPanel = ({ verdicts }: { verdicts: readonly PolicyVerdict[] }) => {
  const told = verdicts.filter((one) => outcomeOf(one) !== undefined).map((one) => ({ id: one.policyId, ...one }))
  if (told.length === 0) return null
  return (
    <Section title="Policies">
      <Rows of={told} empty={null}>
        {(verdict) => <Told verdict={verdict} />}
      </Rows>
    </Section>
  )
}

const Told = ({ verdict }: { verdict: PolicyVerdict }) => {
  const { name, version, message, override } = verdict
  const outcome = outcomeOf(verdict)
  return (
    <Stack gap={4} py="xs" style={{ overflowWrap: 'anywhere' }}>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          version {version}
        </Text>
        {outcome && (
          <Badge variant="light" color={outcome.color} tt="none">
            {outcome.label}
          </Badge>
        )}
      </Group>
      {message && <Text size="sm">{message}</Text>}
      {override && (
        <Text size="sm">
          {override.createdBy} let it past: {override.reason}
        </Text>
      )}
    </Stack>
  )
}
