import { Avatar, Menu, Text, UnstyledButton } from '@mantine/core'
import type { Principal } from '@sluice/contract'
import { Link } from '@tanstack/react-router'
import { IconApi, IconBook, IconDevices, IconKeyboard, IconLogout, IconMail, IconUser } from '../ui/icons.tsx'
import { openKeyboardHelp } from './open-keyboard-help.ts'
import { useSignOut } from './use-sign-out.ts'

export const UserMenu = ({ principal }: { principal: Principal }) => {
  const signOut = useSignOut()
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
        <Menu.Item leftSection={<IconKeyboard size={16} aria-hidden />} onClick={openKeyboardHelp}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
