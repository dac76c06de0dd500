import { Select, Stack, Text } from '@mantine/core'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'

/** Selects who can sign in with a password. */
export const SignInPolicySection = () => {
  const policy = useOperation('getSignInPolicy', {})
  const owners = useCompleteList('listMemberships', { role: 'OWNER' })
  const mayChange = usePermission('organizations:write')
  const change = useApiMutation(
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
    { value: '', label: 'Everyone who has a password' },
    ...(owners.data ?? []).map(({ id, email }) => ({ value: id, label: `Only ${email}` })),
  ]
  return (
    <Section title="Passwords">
      <QueryResult of={policy}>
        {({ data: { breakGlassMembershipId = '' } }) => (
          <Stack>
            {change.error && <ErrorPanel error={errorOf(change.error)} />}
            <Select
              label="Password sign-in"
              data={choices}
              value={breakGlassMembershipId}
              allowDeselect={false}
              disabled={!mayChange.isAllowed || change.isPending}
              title={mayChange.reason}
              maw={420}
              onChange={(next) => next !== null && next !== breakGlassMembershipId && change.mutate(next)}
            />
            <Text size="sm" c="dimmed">
              One owner keeps a password in case the identity provider is unavailable. When you choose one, all other
              sessions that started with a password end.
            </Text>
          </Stack>
        )}
      </QueryResult>
    </Section>
  )
}
