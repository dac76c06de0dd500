import { Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import type { SubmitEvent } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { textFieldValue } from '../ui/forms/form-modal.tsx'
import { Logo } from '../ui/logo.tsx'

/** Accepts an invitation. Its token is in the URL fragment, which browsers don't send. */
export const Join = () => {
  useDocumentTitle('Join · Sluice')
  const router = useRouter()
  const token = router.state.location.hash
  const join = useApiMutation(
    (form: FormData) => {
      const data = { token, fullName: textFieldValue(form, 'fullName'), password: String(form.get('password')) }
      return client.acceptInvitation({ body: { data } })
    },
    [],
    () => router.navigate({ to: '/console/sign-in' }),
  )
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    join.mutate(new FormData(event.currentTarget))
  }
  return (
    <Center mih="100vh" p="md">
      <Paper component="main" withBorder shadow="sm" p="xl" w="100%" maw={400}>
        <form onSubmit={submit}>
          <Stack>
            <Logo />
            <Title order={1} size="h3">
              Join
            </Title>
            {token === '' && <Text c="var(--mantine-color-error)">This link is incomplete. Ask for a new one.</Text>}
            {join.error && <ErrorPanel error={errorOf(join.error)} />}
            <TextInput name="fullName" label="Your name" autoComplete="name" required autoFocus />
            <PasswordInput
              name="password"
              label="Password"
              description="At least 12 characters. If you already have an account here, enter its password."
              autoComplete="new-password"
              required
            />
            <Button type="submit" loading={join.isPending} disabled={token === ''}>
              Join
            </Button>
          </Stack>
        </form>
      </Paper>
    </Center>
  )
}
