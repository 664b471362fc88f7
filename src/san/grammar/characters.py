"""The Unicode character of each symbol, for writers that draw: MathML and the terminal."""

_PAIRS = r"""
\alpha α \beta β \gamma γ \delta δ \epsilon ϵ \varepsilon ε \zeta ζ \eta η \theta θ \vartheta ϑ
\iota ι \kappa κ \varkappa ϰ \lambda λ \mu μ \nu ν \xi ξ \omicron ο \pi π \varpi ϖ \rho ρ \varrho ϱ
\sigma σ \varsigma ς \tau τ \upsilon υ \phi ϕ \varphi φ \chi χ \psi ψ \omega ω \digamma ϝ \Gamma Γ
\Delta Δ \Theta Θ \Lambda Λ \Xi Ξ \Pi Π \Sigma Σ \Upsilon Υ \Phi Φ \Psi Ψ \Omega Ω
\pm ± \mp ∓ \times × \div ÷ \cdot ⋅ \circ ∘ \bullet ∙ \star ⋆ \oplus ⊕ \ominus ⊖ \otimes ⊗ \oslash ⊘
\odot ⊙ \dagger † \ddagger ‡ \wedge ∧ \vee ∨ \cap ∩ \cup ∪ \uplus ⊎ \sqcap ⊓ \sqcup ⊔ \setminus ∖
\wr ≀ \amalg ⨿ \diamond ⋄ \bigcirc ◯ \bigtriangleup △ \bigtriangledown ▽ \int ∫ \iint ∬ \iiint ∭
\oint ∮ \oiint ∯ \sum ∑ \prod ∏ \coprod ∐ \bigcup ⋃ \bigcap ⋂ \bigvee ⋁ \bigwedge ⋀ \bigoplus ⨁
\bigotimes ⨂ \bigodot ⨀ \biguplus ⨄ \bigsqcup ⨆
\leq ≤ \geq ≥ \leqslant ⩽ \geqslant ⩾ \neq ≠ \equiv ≡ \approx ≈ \cong ≅ \sim ∼ \simeq ≃ \doteq ≐
\propto ∝ \asymp ≍ \ll ≪ \gg ≫ \lll ⋘ \ggg ⋙ \prec ≺ \succ ≻ \preceq ⪯ \succeq ⪰ \subset ⊂ \supset ⊃
\subseteq ⊆ \supseteq ⊇ \subsetneq ⊊ \supsetneq ⊋ \subseteqq ⫅ \nsubseteq ⊈ \nsupseteq ⊉ \sqsubset ⊏
\sqsubseteq ⊑ \in ∈ \ni ∋ \notin ∉ \vdash ⊢ \dashv ⊣ \models ⊨ \Vdash ⊩ \vDash ⊨ \perp ⊥ \parallel ∥
\nparallel ∦ \smile ⌣ \frown ⌢ \bowtie ⋈ \lesssim ≲ \gtrsim ≳ \triangleq ≜ \nmid ∤ \nleq ≰ \ngeq ≱
\lessgtr ≶ \therefore ∴ \because ∵
\rightarrow → \leftarrow ← \leftrightarrow ↔ \Rightarrow ⇒ \Leftarrow ⇐ \Leftrightarrow ⇔
\longrightarrow ⟶ \longleftarrow ⟵ \longleftrightarrow ⟷ \Longrightarrow ⟹ \Longleftarrow ⟸
\Longleftrightarrow ⟺ \mapsto ↦ \longmapsto ⟼ \uparrow ↑ \downarrow ↓ \updownarrow ↕ \Uparrow ⇑
\Downarrow ⇓ \nearrow ↗ \searrow ↘ \swarrow ↙ \nwarrow ↖ \rightharpoonup ⇀ \rightharpoondown ⇁
\leftharpoonup ↼ \leftharpoondown ↽ \rightleftharpoons ⇌ \leftrightharpoons ⇋ \hookrightarrow ↪
\hookleftarrow ↩ \rightrightarrows ⇉ \nrightarrow ↛ \rightsquigarrow ⇝
\twoheadrightarrow ↠ \circlearrowleft ↺ \circlearrowright ↻
\infty ∞ \partial ∂ \nabla ∇ \forall ∀ \exists ∃ \nexists ∄ \emptyset ∅ \varnothing ∅ \aleph ℵ
\beth ℶ \hbar ℏ \hslash ℏ \imath ı \jmath ȷ \ell ℓ \wp ℘ \Re ℜ \Im ℑ \mho ℧ \angle ∠
\measuredangle ∡ \sphericalangle ∢ \triangle △ \square □ \blacksquare ■ \lozenge ◊ \Diamond ◇
 \prime ′ \backprime ‵ \neg ¬ \top ⊤ \flat ♭ \natural ♮ \sharp ♯ \clubsuit ♣ \diamondsuit ♢
\heartsuit ♡ \spadesuit ♠ \checkmark ✓ \surd √ \ldots … \cdots ⋯ \vdots ⋮ \ddots ⋱ \langle ⟨
\rangle ⟩ \lfloor ⌊ \rfloor ⌋ \lceil ⌈ \rceil ⌉ \lgroup ⟮ \rgroup ⟯ \backslash \ \{ { \} } \| ‖
\% % \# # \$ $ \& & \_ _ \AA Å \copyright © \S § \P ¶
\complement ∁ \blacktriangle ▲ \triangledown ▽ \bigstar ★ \bmod mod
\overline ‾ \overrightarrow → \overleftarrow ← \overleftrightarrow ↔ \widehat ^ \widetilde ~
\wideparen ⏜ \hat ^ \bar ‾ \vec → \dot ˙ \ddot ¨ \dddot ⃛ \tilde ~ \check ˇ
\acute ´ \grave ` \breve ˘ \mathring ˚ \overbrace ⏞ \underbrace ⏟ \underline _ \underrightarrow →
\underleftarrow ←
\xrightarrow → \xleftarrow ← \xleftrightarrow ↔ \xRightarrow ⇒ \xLeftarrow ⇐ \xLeftrightarrow ⇔
\xlongequal = \xmapsto ↦ \xrightleftharpoons ⇌ \xhookrightarrow ↪
""".split()

CHARACTERS: dict[str, str] = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True)) | {"-": "−"}

# Where the drawn alphabets begin; a few of their capitals were encoded earlier, elsewhere.
_ALPHABETS = {"bb": (0x1D538, 0x1D552), "cal": (0x1D49C, 0x1D4B6), "frak": (0x1D504, 0x1D51E)}
_STRAYS = {
    "bb": dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)),
    "cal": dict(zip("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ", strict=True)),
    "frak": dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True)),
}


def character(name: str) -> str:
    """What a symbol looks like: one character, or the word of a function such as `sin`."""
    if name in CHARACTERS:
        return CHARACTERS[name]
    if name.startswith(r"\math") and name.endswith("}"):
        return _drawn_letter(name[5:-3], name[-2])
    return name.removeprefix("\\") or name


def _drawn_letter(alphabet: str, letter: str) -> str:
    alphabet = "cal" if alphabet == "scr" else alphabet
    capital, small = _ALPHABETS[alphabet]
    start = ord(letter) - (ord("A") if letter.isupper() else ord("a"))
    return _STRAYS[alphabet].get(letter) or chr((capital if letter.isupper() else small) + start)
