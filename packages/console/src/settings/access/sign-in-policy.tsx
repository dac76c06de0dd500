import { Select, Stack, Text } from '@mantine/core'
import { client } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useMay } from '../../api/use-may.ts'
import { useOperation } from '../../api/use-operation.ts'
import { useWhole } from '../../api/use-pages.ts'
import { Answer } from '../../ui/answer.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Section } from '../../ui/section.tsx'

/** Whether people sign in by password, too. */
export const SignInPolicySection = () => {
  const policy = useOperation('getSignInPolicy', {})
  const owners = useWhole('listMemberships', { role: 'OWNER' })
  const mayChange = useMay('organizations:write')
  const change = useChange(
    (breakGlassMembershipId: string) =>
      client.updateSignInPolicy({
        body: {
          data:
            breakGlassMembershipId === ''
              ? { passwordSignIn: 'ALLOWED' }
              : { passwordSignIn: 'BREAK_GLASS', breakGlassMembershipId },
        },
      }),
    ['getSignInPolicy'],
  )
  const choices = [
    { value: '', label: 'everybody who has one' },
    ...(owners.data ?? []).map(({ id, email }) => ({ value: id, label: `${email} alone` })),
  ]
  return (
    <Section title="Passwords">
      <Answer of={policy}>
        {({ data: { breakGlassMembershipId = '' } }) => (
          <Stack>
            {change.error && <ErrorPanel error={errorOf(change.error)} />}
            <Select
              label="Who signs in by password"
              data={choices}
              value={breakGlassMembershipId}
              allowDeselect={false}
              disabled={!mayChange.isAllowed || change.isPending}
              title={mayChange.reason}
              maw={420}
              onChange={(next) => next !== null && next !== breakGlassMembershipId && change.mutate(next)}
            />
            <Text size="sm" c="dimmed">
              One owner keeps a password for the day when the identity provider is away. The sessions of all others that
              began with a password end when you choose one.
            </Text>
          </Stack>
        )}
      </Answer>
    </Section>
  )
}
