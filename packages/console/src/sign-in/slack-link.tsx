import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { SlackLink as Link } from '@sluice/contract'
import { useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { client } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { useOperation } from '../api/use-operation.ts'
import { slackNameOf } from '../notifications/words.ts'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { Facts } from '../ui/facts.tsx'
import { PageTitle } from '../ui/page-title.tsx'

/** Where somebody says who they are here, led by the link that Slack showed to them alone. */
export const SlackLink = () => {
  const { token } = useSearch({ from: '/shell/console/slack' })
  return (
    <Stack maw={520}>
      <PageTitle title="Link your Slack account" />
      {token === undefined ? (
        <Text>
          Press a button of Sluice in a channel of Slack: it answers with a link to this page, which knows whose account
          it is.
        </Text>
      ) : (
        <Followed token={token} />
      )}
    </Stack>
  )
}

const Followed = ({ token }: { token: string }) => {
  const look = useChange(() => client.lookAtSlackLink({ body: { data: { token } } }), [])
  const link = useChange(() => client.linkSlackAccount({ body: { data: { token } } }), ['listSlackAccounts'])
  const { mutate } = look
  useEffect(() => mutate(undefined), [mutate])
  const refused = look.error ?? link.error
  return (
    <>
      {refused && <ErrorPanel error={errorOf(refused)} />}
      {link.data && (
        <Text>
          {slackNameOf(link.data.data)} at Slack is {link.data.data.memberEmail} here. Go back to Slack and press the
          button again; Settings, Slack ends it.
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
          'At Slack': slackNameOf(of),
          ...(me && { Here: `${me.email} in ${me.organizationName}` }),
        }}
      />
      <Alert color="yellow">
        Whoever uses that account at Slack decides as you from then on. Go on only if you pressed a button there
        yourself, just now, and not because somebody sent you the link.
      </Alert>
      <Group>
        <Button onClick={confirm} loading={busy}>
          That is me
        </Button>
      </Group>
    </Stack>
  )
}
