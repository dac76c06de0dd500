import { ActionIcon, type MantineColorScheme, Menu, Tooltip, useMantineColorScheme } from '@mantine/core'
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun } from '../ui/icons.tsx'
import { colorSchemes } from './color-schemes.ts'

const icons = { auto: IconDeviceDesktop, light: IconSun, dark: IconMoon } as const satisfies Record<
  MantineColorScheme,
  unknown
>

/** Selects the theme: that of the system, light or dark. */
export const ColorSchemeMenu = () => {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { label } = colorSchemes.find(({ value }) => value === colorScheme) ?? colorSchemes[0]
  const Current = icons[colorScheme]
  return (
    <Menu position="bottom-end" width={180}>
      <Tooltip label={`Theme: ${label}`}>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={`Theme: ${label}`}>
            <Current size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
      </Tooltip>
      <Menu.Dropdown>
        {colorSchemes.map(({ value, label: name }) => {
          const Icon = icons[value]
          return (
            <Menu.Item
              key={value}
              role="menuitemradio"
              aria-checked={value === colorScheme}
              leftSection={<Icon size={16} aria-hidden />}
              rightSection={value === colorScheme && <IconCheck size={16} aria-hidden />}
              onClick={() => setColorScheme(value)}
            >
              {name}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
