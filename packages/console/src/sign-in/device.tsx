import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import type { DecideDeviceSignIn, DeviceSignIn } from '@sluice/contract'
import { useSearch } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { Facts } from '../ui/facts.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { TimeAgo } from '../ui/time.tsx'

/** Authorizes a program by its code, such as `sluice login --device`. */
export const Device = () => {
  const { code = '' } = useSearch({ from: '/shell/console/device' })
  const [userCode, setUserCode] = useState(code)
  const ask = useApiMutation(
    (data: DecideDeviceSignIn) => client.decideDeviceSignIn({ body: { data } }),
    ['listApiKeys'],
  )
  const found = ask.data?.data
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    ask.mutate({ userCode: userCode.trim() })
  }
  return (
    <Stack maw={520}>
      <PageTitle title="Authorize device" />
      {ask.error && <ErrorPanel error={errorOf(ask.error)} />}
      {found === undefined || ask.error ? (
        <form onSubmit={submit}>
          <Stack>
            <TextInput
              label="Code"
              description="Shown by the program that you’re signing in."
              placeholder="BCDF-GHJK"
              value={userCode}
              onChange={(event) => setUserCode(event.currentTarget.value)}
              autoComplete="off"
              required
              autoFocus
            />
            <Group>
              <Button type="submit" loading={ask.isPending}>
                Continue
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Asked
          of={found}
          decide={(decision) => ask.mutate({ userCode: userCode.trim(), decision })}
          busy={ask.isPending}
        />
      )}
    </Stack>
  )
}

type AskedProps = { of: DeviceSignIn; decide(decision: 'APPROVE' | 'REJECT'): void; busy: boolean }

const Asked = ({ of, decide, busy }: AskedProps) => {
  const me = useOperation('whoami', {}).data?.data
  if (of.status === 'APPROVED')
    return <Text>You are signed in. Return to the application. You can revoke its key in Settings under API keys.</Text>
  if (of.status === 'REJECTED') return <Text>The request was denied.</Text>
  return (
    <Stack>
      <Facts
        facts={{
          Program: of.clientName,
          'IP address': of.ipAddress,
          Requested: <TimeAgo at={of.createdAt} />,
          ...(me && { 'Signed in as': `${me.email} in ${me.organizationName}` }),
        }}
      />
      <Alert color="yellow">
        It gets all your permissions for 90 days. Continue only if you just started this yourself, and not because
        someone sent you the code.
      </Alert>
      <Group>
        <Button onClick={() => decide('APPROVE')} loading={busy}>
          Authorize
        </Button>
        <Button variant="default" onClick={() => decide('REJECT')} loading={busy}>
          Deny
        </Button>
      </Group>
    </Stack>
  )
}
