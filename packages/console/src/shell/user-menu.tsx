import { Avatar, Menu, Text, UnstyledButton } from '@mantine/core'
import type { Principal } from '@sluice/contract'
import { useMutation } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { client } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { IconApi, IconBook, IconDevices, IconLogout, IconMail, IconUser } from '../ui/icons.tsx'

export const UserMenu = ({ principal }: { principal: Principal }) => {
  const router = useRouter()
  const signOut = useMutation({
    mutationFn: async () => {
      const link = await client.getSignOutLink().catch(() => undefined) // signing out here works without it
      await client.logout()
      return link?.data.url
    },
    onSettled: async (elsewhere) => {
      queryClient.clear()
      if (elsewhere !== undefined) return window.location.assign(elsewhere)
      await router.navigate({ to: '/console/sign-in' })
    },
  })
  const name = principal.fullName ?? principal.email
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label={`Signed in as ${name}`}>
          <Avatar color="water" variant="filled" size={34}>
            <IconUser size={20} aria-hidden />
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)">
            {name}
          </Text>
          {principal.email}
        </Menu.Label>
        <Menu.Item component={Link} to="/console/settings/sessions" leftSection={<IconDevices size={16} aria-hidden />}>
          Your sessions
        </Menu.Item>
        <Menu.Item component={Link} to="/console/settings/mail" leftSection={<IconMail size={16} aria-hidden />}>
          Email notifications
        </Menu.Item>
        <Menu.Item component="a" href="/docs/guide/" target="_blank" leftSection={<IconBook size={16} aria-hidden />}>
          Documentation
        </Menu.Item>
        <Menu.Item component="a" href="/docs" target="_blank" leftSection={<IconApi size={16} aria-hidden />}>
          API reference
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
