import { ActionIcon, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core'
import { IconDeviceDesktop, IconMoon, IconSun } from '../ui/icons.tsx'
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
    <Menu position="bottom-end" width={180} withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={`Theme: ${label}`} title={`Theme: ${label}`}>
          <Current size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
          {colorSchemes.map(({ value, label: name }) => (
            <Menu.RadioItem key={value} value={value} closeMenuOnClick>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  )
}
