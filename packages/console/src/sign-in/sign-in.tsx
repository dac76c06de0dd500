import { Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import type { SubmitEvent } from 'react'
import { client } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { Logo } from '../ui/logo.tsx'

const route = getRouteApi('/console/sign-in')

export const SignIn = () => {
  const { to } = route.useSearch()
  const router = useRouter()
  const signIn = useMutation({
    mutationFn: (data: { email: string; password: string }) => client.login({ body: { data } }),
    onSuccess: async () => {
      queryClient.clear()
      await router.navigate({ to: placeOf(to) })
    },
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    signIn.mutate({ email: String(form.get('email')), password: String(form.get('password')) })
  }
  return (
    <Center mih="100vh" p="md">
      <Paper component="main" withBorder shadow="sm" p="xl" w="100%" maw={400}>
        <form onSubmit={submit}>
          <Stack>
            <Logo />
            <Title order={1} size="h3">
              Sign in
            </Title>
            {signIn.error && <ErrorPanel error={errorOf(signIn.error)} />}
            <TextInput name="email" type="email" label="Email" autoComplete="username" required autoFocus />
            <PasswordInput name="password" label="Password" autoComplete="current-password" required />
            <Button type="submit" loading={signIn.isPending}>
              Sign in
            </Button>
            <Text size="xs" c="dimmed">
              The demo prints its email and password when it starts.
            </Text>
          </Stack>
        </form>
      </Paper>
    </Center>
  )
}

/** A place on this site only: an address that somebody else made up must not lead away from here. */
const placeOf = (to: string | undefined): string => (to?.startsWith('/') && !to.startsWith('//') ? to : '/')
