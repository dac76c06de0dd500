import { Alert, Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { apiErrors } from '@sluice/contract'
import { sitePath } from '@sluice/contract/site-url'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { type SubmitEvent, useRef } from 'react'
import { client } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { useOperation } from '../api/use-operation.ts'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { Logo } from '../ui/logo.tsx'

const route = getRouteApi('/console/sign-in')

export const SignIn = () => {
  useDocumentTitle('Sign in · Sluice')
  const { to, refused, organization: organizationId } = route.useSearch()
  const router = useRouter()
  const email = useRef<HTMLInputElement>(null)
  const methods = useOperation('getSignInMethods', {})
  const signIn = useMutation({
    mutationFn: (data: { email: string; password: string }) =>
      client.login({ body: { data: { ...data, ...(organizationId && { organizationId }) } } }),
    onSuccess: async () => {
      queryClient.clear()
      await router.navigate({ to: sitePath(to, window.location.origin) })
    },
  })
  const elsewhere = useMutation({
    mutationFn: (whose: { email?: string }) =>
      client.beginSignIn({ body: { data: { ...whose, returnTo: sitePath(to, window.location.origin) } } }),
    onSuccess: ({ data }) => window.location.assign(data.url),
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    signIn.mutate({ email: String(form.get('email')), password: String(form.get('password')) })
  }
  const findProvider = () => {
    if (email.current?.reportValidity()) elsewhere.mutate({ email: email.current.value })
  }
  const { installationProvider: provider, note } = methods.data?.data ?? {}
  const error = signIn.error ?? elsewhere.error
  return (
    <Center mih="100vh" p="md">
      <Paper component="main" withBorder shadow="sm" p="xl" w="100%" maw={400}>
        <form onSubmit={submit}>
          <Stack>
            <Logo />
            <Title order={1} size="h3">
              Sign in
            </Title>
            {error && <ErrorPanel error={errorOf(error)} />}
            {!error && refused && <Alert color="red" role="alert" title={titleOf(refused)} />}
            {provider !== undefined && (
              <Button variant="default" loading={elsewhere.isPending} onClick={() => elsewhere.mutate({})}>
                Sign in with {provider}
              </Button>
            )}
            <TextInput ref={email} name="email" type="email" label="Email" autoComplete="username" required autoFocus />
            <PasswordInput name="password" label="Password" autoComplete="current-password" required />
            <Button type="submit" loading={signIn.isPending}>
              Sign in
            </Button>
            <Button
              variant="subtle"
              loading={elsewhere.isPending}
              onClick={findProvider}
              h="auto"
              py="xs"
              styles={{ label: { whiteSpace: 'normal', lineHeight: 1.4 } }} // wider than the card in some fonts
            >
              Sign in with single sign-on
            </Button>
            {note !== undefined && (
              <Text size="xs" c="dimmed">
                {note}
              </Text>
            )}
          </Stack>
        </form>
      </Paper>
    </Center>
  )
}

/** Maps an error code to a fixed text, so that a crafted link can't show its own text here. */
const titleOf = (refused: string): string =>
  Object.entries(apiErrors).find(([key]) => key === refused)?.[1].title ?? apiErrors.signInRefused.title
