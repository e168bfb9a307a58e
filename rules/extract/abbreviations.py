"""Words whose full stop does not end a sentence, in languages that write with spaces."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


BEFORE_ANYTHING = _words(
    """
    mr mrs ms mx dr prof st mt rev hon gen col capt lt sgt maj gov sen fr messrs mme mlle vs e.g i.e eg viz cf
    z.b u.a d.h s.o s.u o.ä i.d.r z.t v.a bzw bspw evtl ggf inkl exkl vgl hr str sog
    p.ex env m mm p.ej aprox sr sra srta dra ud uds ee avda
    sig sig.ra sig.na dott dott.ssa prof.ssa ing avv es exmo exma
    т.е т.к т.н т.о напр им ул просп пер кв см ср проф акад св о.о зам вул буд див
    np tzw tj ul pl al mgr inż hab św sn doç bkz örn mah
    """
)
"""Before a capital letter as before a small one: titles, references, "for instance"."""

BEFORE_NUMBER = _words(
    """
    no nos vol vols p pp pg ch ed est fig figs eq approx ca max min abs art nr tel av núm pág pag pagg
    стр рис табл гл тел ст ok os godz r sok cad №
    """
)
"""Before a digit only: "no. 5" is one thing, "I said no." another."""

BEFORE_SMALL = _words(
    """
    etc a.m p.m jr inc ltd co corp llc u.s u.k e.u ph.d b.a m.a dept approx jan feb apr aug sept nov dec
    usw etw u.s.w bzgl jh jhd mio mrd ecc ecc.mo itd itp m.in tzn
    т.д т.п др пр гг вв н.э руб коп тыс млн млрд ін т.ін рр грн vb
    """
)
"""Only before a small letter: what also stands at the end of a sentence."""
