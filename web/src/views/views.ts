// The tabs, in their order. A new output of the server is a file beside this one and a line here.
import { classify } from './classify';
import { compare } from './compare';
import { rank } from './rank';
import { tag } from './tag';
import type { View } from './view';

export const views: View[] = [classify, tag, compare, rank];
