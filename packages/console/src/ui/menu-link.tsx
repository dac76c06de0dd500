import { Menu, type MenuItemProps } from '@mantine/core'
import { createLink, type LinkComponent } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type Props = MenuItemProps & Omit<ComponentPropsWithRef<'a'>, keyof MenuItemProps>

const Linked = createLink((props: Props) => <Menu.Item component="a" {...props} />)

/** Menu item that links to a console page, typed by its routes. */
export const MenuLink: LinkComponent<(props: Props) => React.JSX.Element> = (props) => <Linked {...props} />
