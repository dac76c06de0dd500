import { Button, Group, Stack, Text } from '@mantine/core'
import { useParams, useSearch } from '@tanstack/react-router'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { PermissionButton } from '../../ui/buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Facts } from '../../ui/facts.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { Section } from '../../ui/section.tsx'

const here = '/shell/console/git-hosts/$host'

/**
 * Continues an authorization at a Git host that an API key started. Only the same member can continue, and sees which
 * organization gets access.
 */
export const ContinueAtGitHost = () => {
  const { host } = useParams({ from: here })
  const { organizationId, membershipId, returnUrl, githostbInstanceId } = useSearch({ from: here })
  const { data: principal } = useOperation('whoami', {})
  const goOn = useApiMutation(
    () => {
      const back = { ...(returnUrl !== undefined && { returnUrl }) }
      if (host === 'githosta') return client.claimInstallation({ body: { data: back } })
      const data = { ...back, ...(githostbInstanceId !== undefined && { githostbInstanceId }) }
      return client.createGithostbConnection({ body: { data } })
    },
    [],
    ({ data }) => location.assign(data.url),
  )
  if (!principal) return null
  const { email, fullName, organizationName, ...me } = principal.data
  const isMine = me.organizationId === organizationId && me.membershipId === membershipId
  return (
    <Stack maw={620}>
      <PageTitle title={`Grant access at ${nameOf(host)}`} />
      <Facts facts={{ Organization: organizationName, 'Signed in as': email || fullName }} />
      {isMine ? (
        <>
          <Text size="sm">
            {organizationName} will be able to read what you grant access to at {nameOf(host)}, and to connect those
            repositories.
          </Text>
          {goOn.error && <ErrorPanel error={errorOf(goOn.error)} />}
          <Group>
            <PermissionButton
              permission="code-sources:write"
              loading={goOn.isPending}
              onClick={() => goOn.mutate(undefined)}
            >
              Continue to {nameOf(host)}
            </PermissionButton>
            <Button component="a" href="/" variant="default">
              Cancel
            </Button>
          </Group>
        </>
      ) : (
        <Section title="This link is for someone else">
          <Text size="sm">
            It was created for another member or organization. If you created it, sign out and sign in to that
            organization. If someone sent it to you, don’t use it: the sender would get access to your repositories.
          </Text>
        </Section>
      )}
    </Stack>
  )
}

const nameOf = (host: string): string => (host === 'githosta' ? 'GitHub' : 'GitLab')
