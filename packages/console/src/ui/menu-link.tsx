import { Menu, type MenuItemProps } from '@mantine/core'
import { createLink, type LinkComponent } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type Props = MenuItemProps & Omit<ComponentPropsWithRef<'a'>, keyof MenuItemProps>

const Linked = createLink((props: Props) => <Menu.Item component="a" {...props} />)

/** An item of a menu that leads to another page of the console, typed by its routes. */
export const MenuLink: LinkComponent<(props: Props) => React.JSX.Element> = (props) => <Linked {...props} />
