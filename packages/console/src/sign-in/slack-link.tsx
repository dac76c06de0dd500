import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { SlackLink as Link } from '@sluice/contract'
import { useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { slackAccountName } from '../notifications/notification-labels.ts'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { Facts } from '../ui/facts.tsx'
import { PageTitle } from '../ui/page-title.tsx'

/** Links a Slack account through a private link from Slack. */
export const SlackLink = () => {
  const { token } = useSearch({ from: '/shell/console/slack' })
  return (
    <Stack maw={520}>
      <PageTitle title="Link your Slack account" />
      {token === undefined ? (
        <Text>
          Press a Sluice button in a Slack channel. Slack answers with a link to this page that identifies your Slack
          account.
        </Text>
      ) : (
        <Followed token={token} />
      )}
    </Stack>
  )
}

const Followed = ({ token }: { token: string }) => {
  const look = useApiMutation(() => client.previewSlackLink({ body: { data: { token } } }), [])
  const link = useApiMutation(() => client.linkSlackAccount({ body: { data: { token } } }), ['listSlackAccounts'])
  const { mutate } = look
  useEffect(() => mutate(undefined), [mutate])
  const mutationError = look.error ?? link.error
  return (
    <>
      {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
      {link.data && (
        <Text>
          {slackAccountName(link.data.data)} is now linked to {link.data.data.memberEmail}. Return to Slack and press
          the button again. You can unlink the account under Settings, Slack.
        </Text>
      )}
      {look.data && !link.data && (
        <Asked of={look.data.data} busy={link.isPending} confirm={() => link.mutate(undefined)} />
      )}
    </>
  )
}

const Asked = ({ of, busy, confirm }: { of: Link; busy: boolean; confirm(): void }) => {
  const me = useOperation('whoami', {}).data?.data
  return (
    <Stack>
      <Facts
        facts={{
          'Slack account': slackAccountName(of),
          ...(me && { 'Sluice account': `${me.email} in ${me.organizationName}` }),
        }}
      />
      <Alert color="yellow">
        Anyone who uses that Slack account can decide as you from then on. Continue only if you just pressed a button
        there yourself, and not because someone sent you the link.
      </Alert>
      <Group>
        <Button onClick={confirm} loading={busy}>
          Link account
        </Button>
      </Group>
    </Stack>
  )
}
